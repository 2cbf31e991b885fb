import { isTimeWindow, type PageState, timeWindows } from '../model/page-state.js';
import { findTimeRange, hasBounds, pageStretch, printIso } from '../model/time.js';
import { type AppState, clockMs, shownEndpoint } from './app-state.js';
import type { PageStore } from './store.js';

type PageTime = Pick<PageState, 'window' | 'values'>;

/** Narrows and widens the time of the page. */
export class Zoom {
  readonly #store: PageStore<AppState>;
  /** The times from which ranges were zoomed in, by their bounds. */
  readonly #origins = new Map<string, PageTime>();

  constructor(store: PageStore<AppState>) {
    this.#store = store;
  }

  /** Returns the time from `fromMs`, inclusive, to `toMs`, exclusive, in milliseconds since 1970. */
  readonly narrower = (fromMs: number, toMs: number): PageTime => {
    const { window, values } = this.#store.get().page;
    // The start of a range is exclusive, but its end is inclusive.
    const [start = '', end = ''] = [fromMs, toMs].map((ms) => printIso(Math.round(ms * 1000) - 1));
    this.#origins.set(`${start} ${end}`, { window, values });
    return this.#within(start, end);
  };

  /** Returns the time that the page's range was zoomed from, or one three times as long; undefined without a range. */
  readonly wider = (): PageTime | undefined => {
    const state = this.#store.get();
    const { window, values } = state.page;
    const { parameters = [] } = shownEndpoint(state) ?? {};
    const range = findTimeRange(parameters);
    if (window !== '' || range === undefined || !hasBounds(values, range)) return undefined;
    const { start, end } = range;
    const origin = this.#origins.get(`${values[start]} ${values[end]}`);
    if (origin !== undefined) {
      return this.#within(origin.values[start], origin.values[end], origin.window);
    }
    const nowMs = clockMs(state);
    const { fromMs = 0, toMs = nowMs } = pageStretch(state.page, parameters, nowMs);
    const more = toMs - fromMs;
    const [first, last] = [(fromMs - more) * 1000, (toMs + more) * 1000];
    if (fromMs > 0 && last < nowMs * 1000) return this.#within(printIso(first), printIso(last));
    const windows = Object.keys(timeWindows).filter(isTimeWindow);
    const isLong = (name: keyof typeof timeWindows) => timeWindows[name].ms >= nowMs - first / 1000;
    return this.#within('', '', windows.find(isLong));
  };

  #within(start = '', end = '', window: PageState['window'] = ''): PageTime {
    const state = this.#store.get();
    const range = findTimeRange(shownEndpoint(state)?.parameters ?? []);
    const bounds = range === undefined ? {} : { [range.start]: start, [range.end]: end };
    return { window, values: { ...state.page.values, ...bounds } };
  }
}
