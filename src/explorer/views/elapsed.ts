import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { html } from '../app/html.js';

/** Shows the seconds of a run, but only once a delay is noticeable. */
export function Elapsed({ startMs }: { readonly startMs: number }): VNode | null {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const read = () => setSeconds((performance.now() - startMs) / 1000);
    const timer = setInterval(read, 100);
    return () => clearInterval(timer);
  }, [startMs]);
  return seconds < 0.15
    ? null
    : html`<span class="hint elapsed">Running, ${seconds.toFixed(1)} s</span>`;
}
