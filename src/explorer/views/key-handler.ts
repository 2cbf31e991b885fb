/** The action of each key. */
export type KeyActs = Readonly<Record<string, (event: KeyboardEvent) => void>>;

/** Creates a listener that acts on keys without Ctrl, Cmd and Alt. */
export function keyHandler(acts: KeyActs, isIgnored = (_event: KeyboardEvent) => false) {
  return (event: KeyboardEvent): void => {
    const act = acts[event.key];
    const hasModifier = event.ctrlKey || event.metaKey || event.altKey;
    if (act === undefined || hasModifier || isIgnored(event)) return;
    event.preventDefault();
    act(event);
  };
}
