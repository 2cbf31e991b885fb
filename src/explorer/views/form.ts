import type { VNode } from 'preact';
import type { EndpointProps, PageProps } from '../app/app.js';
import type { AppState } from '../app/app-state.js';
import { html } from '../app/html.js';
import type { ListedParameter } from '../model/endpoint.js';
import { fromInput, timeRangeOf, toInput, type Zone } from '../model/time.js';

/** Shows the parameters of an endpoint, except the project and the time, which are shown elsewhere. */
export function ParameterForm({ app, state, endpoint }: EndpointProps): VNode | null {
  const range = timeRangeOf(endpoint.parameters);
  const placed = ['project', range?.start, range?.end];
  const others = endpoint.parameters.filter(({ name }) => !placed.includes(name));
  if (others.length === 0) return null;
  const submit = (event: Event) => {
    event.preventDefault();
    void app.run();
  };
  return html`<form class="parameters" aria-label="Parameters" onSubmit=${submit}>
    ${others.map((parameter) => html`<${Field} key=${parameter.name} ...${{ app, state, parameter }} />`)}
    <button type="submit" hidden>Run</button>
  </form>`;
}

interface FieldProps extends PageProps {
  readonly parameter: ListedParameter;
}

function Field({ app, state, parameter }: FieldProps): VNode {
  const { name, required } = parameter;
  const id = `p-${name}`;
  const value = state.page.values[name] ?? '';
  const set = (text: string) =>
    app.change({ values: { ...app.store.get().page.values, [name]: text } });
  const fault = faultOf(state, name);
  const { zone } = state;
  const unit = parameter.type === 'timestamp' ? `, ${zoneNames[zone]}` : '';
  const common = { id, required, 'aria-invalid': fault !== '', 'aria-describedby': `${id}-fault` };
  return html`<div class="field">
    <label for=${id}>${name}${unit}${required ? html`<span class="required" aria-hidden="true"> *</span>` : ''}</label>
    ${inputOf(parameter, { value, set, common, zone })}
    <p id="${id}-fault" class="fault">${fault}</p>
  </div>`;
}

interface InputProps {
  readonly value: string;
  readonly set: (text: string) => void;
  readonly common: Readonly<Record<string, unknown>>;
  readonly zone: Zone;
}

const zoneNames: Readonly<Record<Zone, string>> = { utc: 'UTC', local: 'local time' };

function inputOf(parameter: ListedParameter, { value, set, common, zone }: InputProps): VNode {
  const choices = choicesOf(parameter);
  const onInput = (event: Event) => set((event.target as HTMLInputElement).value);
  if (choices !== undefined) {
    const none =
      parameter.default === undefined
        ? parameter.required
          ? 'Choose…'
          : 'Any'
        : `Default: ${parameter.default}`;
    return html`<select ...${common} value=${value} onChange=${onInput}>
      <option value="">${none}</option>
      ${choices.map((choice) => html`<option value=${choice}>${choice}</option>`)}
    </select>`;
  }
  if (parameter.type === 'timestamp') {
    const change = (event: Event) => set(fromInput((event.target as HTMLInputElement).value, zone));
    return html`<input ...${common} type="datetime-local" step="1" value=${toInput(value, zone)} onChange=${change} />`;
  }
  const type = inputTypes[parameter.type] ?? 'text';
  return html`<input ...${common} type=${parameter.isList ? 'text' : type} value=${value} onInput=${onInput}
    step="any" placeholder=${parameter.default ?? placeholders[parameter.type] ?? ''} spellcheck=${false} autocomplete="off" />`;
}

const inputTypes: Readonly<Record<string, string>> = {
  date: 'date',
  integer: 'number',
  number: 'number',
};
const placeholders: Readonly<Record<string, string>> = { regexp: 'pattern' };

function choicesOf({ type, oneOf, isList }: ListedParameter): readonly string[] | undefined {
  if (isList) return undefined;
  return oneOf ?? (type === 'boolean' ? ['true', 'false'] : undefined);
}

/** Returns the last run's error about a parameter. */
function faultOf({ run }: AppState, name: string): string {
  return run.faults.find(({ location }) => location === name)?.message ?? '';
}
