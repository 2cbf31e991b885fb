import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { PageProps } from '../app/app.js';
import { timeWithin } from '../app/app-state.js';
import { html } from '../app/html.js';
import { surroundingLines } from '../model/counts.js';
import type { AnswerRow, ListedTable } from '../model/endpoint.js';
import { findRoles, recordLevel } from '../model/levels.js';
import { printPlain } from '../model/print-value.js';
import { instantOfRow, keyOfRow } from '../model/record-key.js';
import { printIso, printMicros } from '../model/time.js';
import { useReading } from './use-reading.js';

const amounts = [20, 50, 200] as const;

/** Shows the lines of the same source and project before and after a record, newest first. */
export function Surrounding(props: PageProps & { table: ListedTable; row: AnswerRow }): VNode {
  const { app, state, table, row } = props;
  const [amount, setAmount] = useState<number>(amounts[0]);
  const read = async (signal: AbortSignal) => {
    const ask = (direction: 'before' | 'after', count: number) =>
      app.runner.askAlways(surroundingLines(table, row, direction, count), signal);
    const [before, after] = await Promise.all([ask('before', amount + 1), ask('after', amount)]);
    return [...after.toReversed(), ...before];
  };
  const { value: lines, fault } = useReading(read, [amount]);
  const key = keyOfRow(row);
  const me = lines?.findIndex((line) => keyOfRow(line) === key) ?? -1;
  const showAll = () => {
    const [newest, oldest] = [instantOfRow(lines?.[0]), instantOfRow(lines?.at(-1))];
    if (newest === undefined || oldest === undefined) return;
    const time = timeWithin(state, '', printIso(Number(oldest) - 1), printIso(newest));
    void app.go({ language: 'lql', lql: `f:${table.name}`, ...time, record: key });
  };
  const roles = findRoles(table.schema.fields);
  const lineItem = (line: AnswerRow, index: number) => {
    const shown = roles && recordLevel(line, roles);
    const isMe = index === me;
    const scroll = (element: HTMLElement | null) =>
      isMe && element?.scrollIntoView({ block: 'center' });
    return html`<li key=${index} class="${shown?.level ?? ''} ${isMe ? 'me' : ''}" aria-current=${isMe ? 'true' : undefined} ref=${scroll}>
      <button type="button" onClick=${() => app.open(line)}>
        <span class="time">${printMicros(Number(line['timestamp']), state.zone).slice(11)}</span><span class="level">${shown?.word || shown?.status}</span><span dir="auto">${roles && printPlain(line[roles.message] ?? '')}</span>
      </button>
    </li>`;
  };
  return html`<section class="surrounding" aria-label="Surrounding lines">
    <div class="side-head">
      <h2>Surrounding lines <span class="hint">${table.name}, before and after</span></h2>
      <span class="seg s" role="group" aria-label="How many lines before and after">
        ${amounts.map((one) => html`<button type="button" key=${one} aria-pressed=${one === amount} onClick=${() => setAmount(one)}>${one}</button>`)}
      </span>
      <button type="button" class="b link s" onClick=${showAll}>In the table</button>
    </div>
    ${fault !== undefined && html`<p class="fault">${fault}</p>`}
    ${lines === undefined && fault === undefined && html`<p class="hint">Reading…</p>`}
    <ol tabindex="0" aria-label="Lines">${lines?.map(lineItem)}</ol>
  </section>`;
}
