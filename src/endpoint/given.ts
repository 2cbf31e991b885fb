/** What a request gives for a parameter: a text, which is empty if there is none, or several texts. */
export type Given = string | GivenTexts;

/** Several texts for one parameter. */
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

/** The values of one name in one place; empty texts count as absent. */
export function gather(values: readonly (string | readonly string[])[]): Given {
  const filled = values.filter((value) => value !== '');
  const [first = '', ...others] = filled;
  const hasArray = filled.some((value) => typeof value !== 'string');
  if (others.length > 0) {
    return { kind: hasArray ? 'conflict' : 'repeated', texts: filled.flat(), hasArray };
  }
  return typeof first === 'string' ? first : { kind: 'array', texts: first, hasArray };
}

/** What the URL and the body give for a name. */
export function merge(url: Given, body: Given): Given {
  if (body === '' || JSON.stringify(url) === JSON.stringify(body)) return url;
  if (url === '') return body;
  const hasArray = [url, body].some((given) => typeof given !== 'string' && given.hasArray);
  return { kind: 'conflict', texts: [...textsOf(url), ...textsOf(body)], hasArray };
}

/** All texts, in order. */
export function textsOf(given: Given): readonly string[] {
  if (typeof given !== 'string') return given.texts;
  return given === '' ? [] : [given];
}

/** The only text that is given, any number of times; undefined if there are several, or a JSON array. */
export function onlyText(given: Given): string | undefined {
  if (typeof given === 'string') return given;
  const [first] = given.texts;
  return !given.hasArray && given.texts.every((text) => text === first) ? first : undefined;
}
