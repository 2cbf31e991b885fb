import { call, type DuckExpression, infix, text } from '../duckdb-sql/duckdb-sql.js';
import { letOnce } from '../duckdb-sql/let.js';

/** A case mapping by DuckDB's function, or, for a string with a special letter, by JavaScript's. */
interface Mapping {
  /** DuckDB's function, which maps one letter to one letter. */
  readonly plain: 'lower' | 'upper';
  /** Matches the letters that DuckDB's function does not map as Unicode does. */
  readonly special: string;
  readonly full: (value: DuckExpression) => DuckExpression;
}

/** Unicode's language-independent mappings, as LOWER, UPPER and CONTAINS_SUBSTR need them. */
export const letterCases = {
  lower: {
    plain: 'lower',
    // İ becomes two characters, and the capital sigma becomes ς at the end of a word.
    special: '[İΣ]',
    full: (value) => call('js_lower', value),
  },
  upper: {
    plain: 'upper',
    // The letters that become several, such as ß.
    special: '[ßŉǰΐΰևẖ-ẚὐὒὔὖᾀ-ᾯᾲ-ᾴᾶᾷᾼῂ-ῄῆῇῌῒ\u1fd3ῖῗῢ\u1fe3ῤῦῧῲ-ῴῶῷῼﬀ-ﬆﬓ-ﬗ]',
    full: (value) => call('js_upper', value),
  },
  fold: {
    plain: 'lower',
    // All characters except letters of common scripts that fold to one letter and are in normal form NFKC.
    special: '[^\\x00-\\x7fÀ-ÖØ-Þà-öø-ÿĀ-ıĴ-ĽŁ-ňŊ-žА-яЀЁѐёぁ-ゖァ-ヺ一-\u9fff]',
    full: (value) => call('js_casefold', value, text('NFKC')),
  },
} as const satisfies Record<string, Mapping>;

/** Maps the case of a string's letters. ASCII strings, as most are, take no longer than in DuckDB. */
export function mapCase(name: keyof typeof letterCases, value: DuckExpression): DuckExpression {
  const { plain, special, full } = letterCases[name];
  return letOnce([value], ([one = value]) => ({
    kind: 'case',
    whens: [
      // As many bytes as characters: all letters are ASCII.
      { when: infix('=', call('strlen', one), call('length', one)), result: call(plain, one) },
      { when: call('regexp_matches', one, text(special)), result: full(one) },
    ],
    otherwise: call(plain, one),
  }));
}
