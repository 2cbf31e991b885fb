import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { PageProps } from '../app/app.js';
import { timeWithin } from '../app/app-state.js';
import { html } from '../app/html.js';
import { type ChosenWindow, timeWindows, windowNames } from '../model/page-state.js';
import {
  fromInput,
  hasBounds,
  printRange,
  type TimeRange,
  toInput,
  type Zone,
} from '../model/time.js';
import { Icon } from './icon.js';
import { Menu, menuItem } from './menu.js';

interface Props extends PageProps {
  readonly range: TimeRange;
}

/** Shows the requested time range, and the zone of the times. */
export function TimePicker({ app, state, range }: Props): VNode {
  const { page, zone } = state;
  const label = html`<${Icon} name="clock" />${printRange(page, range, zone)}<${Icon} name="down" />`;
  const item = (title: string, window: ChosenWindow, isChosen: boolean) =>
    menuItem(title, () => void app.go(timeWithin(state, window)), { 'aria-pressed': isChosen });
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const zoneButton = (one: Zone, name: string) =>
    html`<button type="button" aria-pressed=${one === zone} onClick=${() => app.choose({ zone: one })}>${name}</button>`;
  const zoneName = zone === 'utc' ? 'UTC' : own;
  const turnZone = () => app.choose({ zone: zone === 'utc' ? 'local' : 'utc' });
  return html`<button type="button" class="b s only-wide" aria-label="Times in ${zoneName}" title="Times are shown in ${zoneName}" onClick=${turnZone}>${zoneName}</button>
  <${Menu} label=${label} title="Time" look="line"><div class="pick-time">
    <ul>
      ${windowNames.map((name) => item(timeWindows[name].title, name, name === page.window))}
      ${item('All time', '', page.window === '' && !hasBounds(page.values, range))}
    </ul>
    <div>
      <${FromTo} ...${{ app, state, range }} />
      <div class="seg s" role="group" aria-label="Times are shown in">${zoneButton('local', own)}${zoneButton('utc', 'UTC')}</div>
    </div>
  </div><//>`;
}

function FromTo({ app, state, range }: Props): VNode {
  const { page, zone } = state;
  const [from, setFrom] = useState(page.values[range.start] ?? '');
  const [to, setTo] = useState(page.values[range.end] ?? '');
  const isReversed = from !== '' && to !== '' && Date.parse(from) >= Date.parse(to);
  const submit = (event: Event) => {
    event.preventDefault();
    if (!isReversed) void app.go(timeWithin(state, '', from, to));
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
