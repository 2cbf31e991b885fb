import { isTimeWindow, type PageState, timeWindows } from '../model/page-state.js';
import { findTimeRange, hasBounds, pageStretch, printIso } from '../model/time.js';
import { type AppState, clockMs, shownEndpoint, timeWithin } from './app-state.js';

/** Returns the time from `fromMs`, inclusive, to `toMs`, exclusive, in milliseconds since 1970. */
export function narrowerTime(state: AppState, fromMs: number, toMs: number): Partial<PageState> {
  // The start of a range is exclusive, but its end is inclusive.
  const [start = '', end = ''] = [fromMs, toMs].map((ms) => printIso(Math.round(ms * 1000) - 1));
  return timeWithin(state, '', start, end);
}

/** Returns the shortest time window that holds the page's range, or all time; undefined without a range. */
export function widerTime(state: AppState): Partial<PageState> | undefined {
  const { window, values } = state.page;
  const { parameters = [] } = shownEndpoint(state) ?? {};
  const range = findTimeRange(parameters);
  if (window !== '' || range === undefined || !hasBounds(values, range)) return undefined;
  const nowMs = clockMs(state);
  const { fromMs = 0 } = pageStretch(state.page, parameters, nowMs);
  const windows = Object.keys(timeWindows).filter(isTimeWindow);
  const holding = windows.find((name) => timeWindows[name].ms >= nowMs - fromMs);
  return timeWithin(state, holding ?? '');
}
