/** Whether the page is as narrow as a telephone, as in narrow.css. */
export function isNarrow(): boolean {
  return matchMedia('(max-width: 720px)').matches;
}
