import type { VNode } from 'preact';
import type { Parameter } from '../../endpoint/endpoint.js';
import type { EndpointProps, PageProps } from '../app/app.js';
import { html } from '../app/html.js';
import { findTimeRange, fromInput, toInput } from '../model/time.js';

/** Shows the parameters of an endpoint, except the project and the time, which are shown elsewhere. */
export function ParameterForm({ app, state, endpoint }: EndpointProps): VNode | null {
  const range = findTimeRange(endpoint.parameters);
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

function Field({ app, state, parameter }: PageProps & { readonly parameter: Parameter }): VNode {
  const { name, required, type, isList } = parameter;
  const { zone, page, run } = state;
  const id = `p-${name}`;
  const isTime = type === 'timestamp' && !isList && parameterChoices(parameter) === undefined;
  const value = page.values[name] ?? '';
  const fault = run.faults.find(({ location }) => location === name)?.message ?? '';
  const set = ({ target }: Event) => {
    const text = (target as HTMLInputElement).value;
    const value = isTime ? fromInput(text, zone) : text;
    app.change({ values: { ...app.store.get().page.values, [name]: value } });
  };
  const given = {
    ...{ id, required, 'aria-invalid': fault !== '', 'aria-describedby': `${id}-fault` },
    ...{ value: isTime ? toInput(value, zone) : value, [isTime ? 'onChange' : 'onInput']: set },
  };
  const unit = isTime ? `, ${zone === 'utc' ? 'UTC' : 'local time'}` : '';
  return html`<div class="field">
    <label for=${id}>${name}${unit}${required ? html`<span class="required" aria-hidden="true"> *</span>` : ''}</label>
    ${parameterInput(parameter, given)}
    <p id="${id}-fault" class="fault">${fault}</p>
  </div>`;
}

function parameterInput(parameter: Parameter, given: object): VNode {
  const { type, isList, required } = parameter;
  const choices = parameterChoices(parameter);
  if (choices !== undefined) {
    const any = required ? 'Choose…' : 'Any';
    const none = parameter.default === undefined ? any : `Default: ${parameter.default}`;
    return html`<select ...${given}>
      <option value="">${none}</option>
      ${choices.map((choice) => html`<option value=${choice}>${choice}</option>`)}
    </select>`;
  }
  const hint = parameter.default ?? (type === 'regexp' ? 'pattern' : '');
  return html`<input ...${given} type=${(!isList && inputTypes[type]) || 'text'}
    step=${type === 'timestamp' ? 1 : 'any'} placeholder=${hint} spellcheck=${false} autocomplete="off" />`;
}

const inputTypes: Readonly<Record<string, string>> = {
  timestamp: 'datetime-local',
  date: 'date',
  integer: 'number',
  number: 'number',
};

function parameterChoices({ type, oneOf, isList }: Parameter): readonly string[] | undefined {
  if (isList) return undefined;
  return oneOf ?? (type === 'boolean' ? ['true', 'false'] : undefined);
}
