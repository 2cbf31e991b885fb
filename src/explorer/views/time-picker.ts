import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { PageProps } from '../app/app.js';
import { html } from '../app/html.js';
import { type ChosenWindow, timeWindows } from '../model/page-state.js';
import { fromInput, type TimeRange, toInput, type Zone } from '../model/time.js';
import { Icon } from './icon.js';
import { Menu } from './menu.js';

interface Props extends PageProps {
  readonly range: TimeRange;
}

/** Shows the requested time range, and the zone of the times. */
export function TimePicker({ app, state, range }: Props): VNode {
  const { page, zone } = state;
  const label = html`<${Icon} name="clock" />${printRange(state, range)}<${Icon} name="down" />`;
  const values = (start: string, end: string) => ({
    ...page.values,
    [range.start]: start,
    [range.end]: end,
  });
  const panel = (close: () => void) => {
    const pick = (window: ChosenWindow) => {
      close();
      void app.go({ window, values: values('', '') });
    };
    const apply = (start: string, end: string) => {
      close();
      void app.go({ window: '', values: values(start, end) });
    };
    const isAll = page.window === '' && !isBounded(page.values, range);
    return html`<div class="pick-time">
      <ul>
        ${Object.entries(timeWindows).map(
          ([name, { title }]) =>
            html`<li key=${name}><button type="button" class="item" aria-pressed=${name === page.window} onClick=${() => pick(name as ChosenWindow)}>${title}</button></li>`,
        )}
        <li><button type="button" class="item" aria-pressed=${isAll} onClick=${() => pick('')}>All time</button></li>
      </ul>
      <div>
        <${FromTo} ...${{ state, range, apply }} />
        <${ZoneChoice} ...${{ app, zone }} />
      </div>
    </div>`;
  };
  return html`<${Menu} label=${label} title="Time" look="line" children=${panel} />`;
}

function isBounded(values: Readonly<Record<string, string>>, { start, end }: TimeRange): boolean {
  return [start, end].some((name) => (values[name] ?? '') !== '');
}

/** `Last hour`, `All time`, or `03-10 10:00 – 11:00`. */
function printRange({ page, zone }: PageProps['state'], range: TimeRange): string {
  if (page.window !== '') return timeWindows[page.window].title;
  if (!isBounded(page.values, range)) return 'All time';
  const print = (name: string) =>
    toInput(page.values[name] ?? '', zone)
      .replace('T', ' ')
      .slice(5, 16);
  const [from, to] = [print(range.start), print(range.end)];
  const isSameDay = from.slice(0, 5) === to.slice(0, 5);
  return `${from || 'the first'} – ${(isSameDay ? to.slice(6) : to) || 'now'}`;
}

interface FromToProps extends Pick<Props, 'state' | 'range'> {
  readonly apply: (start: string, end: string) => void;
}

function FromTo({ state, range, apply }: FromToProps): VNode {
  const { page, zone } = state;
  const [from, setFrom] = useState(page.values[range.start] ?? '');
  const [to, setTo] = useState(page.values[range.end] ?? '');
  const isReversed = from !== '' && to !== '' && Date.parse(from) >= Date.parse(to);
  const submit = (event: Event) => {
    event.preventDefault();
    if (!isReversed) apply(from, to);
  };
  const field = (label: string, value: string, set: (text: string) => void) =>
    html`<label>${label}<input type="datetime-local" step="1" value=${toInput(value, zone)}
      onInput=${(event: Event) => set(fromInput((event.target as HTMLInputElement).value, zone))} /></label>`;
  return html`<form onSubmit=${submit}>
    ${field('From', from, setFrom)}
    ${field('To', to, setTo)}
    ${isReversed && html`<p class="fault" role="alert">"From" must be before "To".</p>`}
    <button class="b line s" disabled=${isReversed}>Apply</button>
  </form>`;
}

function ZoneChoice({ app, zone }: Pick<Props, 'app'> & { readonly zone: Zone }): VNode {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const choices = { local: own, utc: 'UTC' } as const;
  return html`<div class="seg s" role="group" aria-label="Times are shown in">
    ${(['local', 'utc'] as const).map(
      (one) =>
        html`<button type="button" key=${one} aria-pressed=${one === zone} onClick=${() => app.setZone(one)}>${choices[one]}</button>`,
    )}
  </div>`;
}
