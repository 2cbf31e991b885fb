import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { PageProps } from '../app/app.js';
import { timeWithin } from '../app/app-state.js';
import { html } from '../app/html.js';
import { type ChosenWindow, isTimeWindow, timeWindows } from '../model/page-state.js';
import { fromInput, hasBounds, type TimeRange, toInput, type Zone } from '../model/time.js';
import { Icon } from './icon.js';
import { Menu, menuItem } from './menu.js';

interface Props extends PageProps {
  readonly range: TimeRange;
}

/** Shows the requested time range, and the zone of the times. */
export function TimePicker({ app, state, range }: Props): VNode {
  const { page, zone } = state;
  const label = html`<${Icon} name="clock" />${printRange(state, range)}<${Icon} name="down" />`;
  const go = (...time: readonly [window: ChosenWindow, start?: string, end?: string]) =>
    void app.go(timeWithin(state, ...time));
  const item = (title: string, window: ChosenWindow, isChosen: boolean) =>
    menuItem(title, () => go(window), { 'aria-pressed': isChosen });
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const zoneButton = (one: Zone, name: string) =>
    html`<button type="button" aria-pressed=${one === zone} onClick=${() => app.choose({ zone: one })}>${name}</button>`;
  const windows = Object.keys(timeWindows).filter(isTimeWindow);
  const zoneName = zone === 'utc' ? 'UTC' : own;
  const turnZone = () => app.choose({ zone: zone === 'utc' ? 'local' : 'utc' });
  return html`<button type="button" class="b s only-wide" aria-label="Times in ${zoneName}" title="Times are shown in ${zoneName}" onClick=${turnZone}>${zoneName}</button>
  <${Menu} label=${label} title="Time" look="line"><div class="pick-time">
    <ul>
      ${windows.map((name) => item(timeWindows[name].title, name, name === page.window))}
      ${item('All time', '', page.window === '' && !hasBounds(page.values, range))}
    </ul>
    <div>
      <${FromTo} ...${{ state, range, apply: (start: string, end: string) => go('', start, end) }} />
      <div class="seg s" role="group" aria-label="Times are shown in">${zoneButton('local', own)}${zoneButton('utc', 'UTC')}</div>
    </div>
  </div><//>`;
}

/** `Last hour`, `All time`, or `03-10 10:00 – 11:00`. */
function printRange({ page, zone }: PageProps['state'], range: TimeRange): string {
  if (page.window !== '') return timeWindows[page.window].title;
  if (!hasBounds(page.values, range)) return 'All time';
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
