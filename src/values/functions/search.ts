import { lazily } from '../../process/lazily.js';
import { ValueFault } from '../value-fault.js';
import { type Analyzer, asciiLower, rememberedAnalyzer } from './analyze-text.js';
import { remember, type Text } from './script-function.js';
import { parseSearchQuery, type SearchQuery } from './search-query.js';

const defaultAnalyzer = 'LOG_ANALYZER';

/** Returns a function that tests whether text matches a query. */
const queryMatcher = remember((key) => {
  const [query, name, options] = JSON.parse(key) as [string, string, string | null];
  const analyzer = rememberedAnalyzer(JSON.stringify([name, options]));
  if (analyzer.kind === 'NO_OP_ANALYZER') return (text: string) => text === query;
  const parsed = parseSearchQuery(query, analyzer);
  return (text: string) => matches(parsed, searchedIn(text, analyzer), analyzer);
});

/** Text to search, and its tokens once they are needed: most text lacks even the letters of a token. */
type Searched = ReturnType<typeof searchedIn>;

function searchedIn(text: string, analyzer: Analyzer) {
  const lower = analyzer.isPlain ? asciiLower(text) : undefined;
  return {
    text,
    mayHave: (token: string) => lower?.includes(token) ?? true,
    tokens: lazily(() => analyzer.splitText(text)),
  };
}

function matches(query: SearchQuery, searched: Searched, analyzer: Analyzer): boolean {
  switch (query.kind) {
    case 'and':
      return query.parts.every((part) => matches(part, searched, analyzer));
    case 'or':
      return query.parts.some((part) => matches(part, searched, analyzer));
    case 'exact':
      return hasExact(searched.text, query.text, analyzer);
    default: {
      if (!query.tokens.every(searched.mayHave)) return false;
      const tokens = searched.tokens();
      return query.kind === 'phrase'
        ? hasRun(query.tokens, tokens)
        : query.tokens.every((one) => tokens.includes(one));
    }
  }
}

/** Whether the wanted tokens are adjacent, in their order. */
function hasRun(wanted: readonly string[], tokens: readonly string[]): boolean {
  return tokens.some((_, from) => wanted.every((one, index) => tokens[from + index] === one));
}

/** The maximum number of characters in a delimiter. */
const longest = 16;

/** Whether a part of the text is between delimiters, or at its ends. */
function hasExact(text: string, part: string, { delimited }: Analyzer): boolean {
  if (delimited === undefined) return text === part;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) {
    const end = at + part.length;
    const isStart = at === 0 || delimited.before.test(text.slice(Math.max(0, at - longest), at));
    const isEnd = end === text.length || delimited.after.test(text.slice(end, end + longest));
    if (isStart && isEnd) return true;
  }
  return false;
}

/**
 * SEARCH; a NULL text gives NULL.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/search_functions#search
 */
export function searchText(text: Text, query: Text, analyzer: Text, options: Text): boolean | null {
  if (query === null) throw new ValueFault('The search_query of SEARCH is NULL');
  const isMatch = queryMatcher(JSON.stringify([query, analyzer ?? defaultAnalyzer, options]));
  return text === null ? null : isMatch(text);
}

/** TEXT_ANALYZE: the tokens, as JSON. */
export function analyzeText(text: Text, analyzer: Text, options: Text): Text {
  const { splitText } = rememberedAnalyzer(JSON.stringify([analyzer ?? defaultAnalyzer, options]));
  return text === null ? null : JSON.stringify(splitText(text));
}
