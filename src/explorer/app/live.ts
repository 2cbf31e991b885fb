import { maxLiveRows, type TailOptions } from '../client/tail.js';
import type { AnswerRow } from '../model/endpoint.js';
import { instantOfRow, keyOfRow } from '../model/record-key.js';
import type { AppState } from './app-state.js';
import type { PageStore } from './store.js';

/** Returns the position from which the server sends what came after some rows, and those of the first instant again. */
export function positionAfter(rows: readonly AnswerRow[]): Pick<TailOptions, 'from' | 'isKnown'> {
  const newest = instantOfRow(rows[0]);
  const hasId = rows[0]?.['id'] !== undefined;
  const key = (row: AnswerRow) => keyOfRow(hasId ? row : { ...row, id: '' });
  const known = rows.filter((row) => instantOfRow(row) === newest).map(key);
  // Nothing comes after a record that lies in the future.
  const from = newest === undefined ? '' : String(Math.min(Number(newest), Date.now() * 1000));
  // Each is sent again once; equal lines have the same key.
  const isKnown = (row: AnswerRow) => {
    const at = known.indexOf(key(row));
    return at >= 0 && known.splice(at, 1).length > 0;
  };
  return { from, isKnown };
}

const instant = (row: AnswerRow) => Number(instantOfRow(row) ?? 0);

/** Adds new records to the rows, newest first. */
export function showLive(store: PageStore<AppState>, fresh: readonly AnswerRow[]): void {
  const { run } = store.get();
  if (run.rows === undefined || fresh.length === 0) return;
  const { result } = run.rows;
  // Records may come up to ten seconds late.
  const rows = [...fresh, ...result.rows].toSorted((a, b) => instant(b) - instant(a));
  const most = Math.max(maxLiveRows, result.rows.length);
  const isTruncated = result.isTruncated || rows.length > most;
  const shown = { ...result, rows: rows.slice(0, most), isTruncated };
  store.update({ run: { ...run, rows: { ...run.rows, result: shown } } });
}
