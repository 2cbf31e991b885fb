/** The input of a request for a parameter: a string, which is empty if absent, or several strings. */
export type Given = string | GivenTexts;

/** Several strings for one parameter. */
export interface GivenTexts {
  /**
   * `repeated`: the name is given several times in the URL, or in the body. `array`: the body has a JSON array.
   * `conflict`: the URL and the body differ, or the body has a JSON array and other values.
   */
  readonly kind: 'repeated' | 'array' | 'conflict';
  readonly texts: readonly string[];
  /** Whether a JSON array is among the values. */
  readonly hasArray: boolean;
}

/** Collects the values of one name in the URL or the body; empty strings count as absent. */
export function gatherValues(values: readonly (string | readonly string[])[]): Given {
  const filled = values.filter((value) => value !== '');
  const [first = '', ...others] = filled;
  const hasArray = filled.some((value) => typeof value !== 'string');
  if (others.length > 0) {
    return { kind: hasArray ? 'conflict' : 'repeated', texts: filled.flat(), hasArray };
  }
  return typeof first === 'string' ? first : { kind: 'array', texts: first, hasArray };
}

/** Merges the input for a name from the URL and the body. */
export function merge(url: Given, body: Given): Given {
  if (body === '' || JSON.stringify(url) === JSON.stringify(body)) return url;
  if (url === '') return body;
  const hasArray = [url, body].some((given) => typeof given !== 'string' && given.hasArray);
  return { kind: 'conflict', texts: [...givenTexts(url), ...givenTexts(body)], hasArray };
}

/** Returns all strings, in order. */
export function givenTexts(given: Given): readonly string[] {
  if (typeof given !== 'string') return given.texts;
  return given === '' ? [] : [given];
}

/** Returns the only string, which may be repeated; undefined if there are several, or a JSON array. */
export function onlyText(given: Given): string | undefined {
  if (typeof given === 'string') return given;
  const [first] = given.texts;
  return !given.hasArray && given.texts.every((text) => text === first) ? first : undefined;
}
