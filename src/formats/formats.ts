import type { Type } from '../types/types.js';

/** The names of the formats, the default first. */
export const formatNames = ['json', 'ndjson', 'csv', 'arrow', 'parquet'] as const;

/** A format of rows in a response or in the output of a command. */
export type Format = (typeof formatNames)[number];

/** The properties of a format. */
export interface FormatFacts {
  /** The `content-type` of a response. */
  readonly contentType: string;
  /** Other media types by which a client may ask for it. */
  readonly aliases: readonly string[];
  /** The suffix of a file, for a format that clients save rather than show. */
  readonly suffix?: string;
  /** Whether the format is already compressed. */
  readonly isCompressed?: true;
}

/**
 * The formats, the default one first.
 * @see https://www.iana.org/assignments/media-types/media-types.xhtml
 */
export const formats: Readonly<Record<Format, FormatFacts>> = {
  json: { contentType: 'application/json; charset=utf-8', aliases: [] },
  ndjson: {
    contentType: 'application/x-ndjson; charset=utf-8',
    aliases: ['application/ndjson', 'application/jsonl'],
  },
  csv: { contentType: 'text/csv; charset=utf-8; header=present', aliases: [], suffix: 'csv' },
  arrow: { contentType: 'application/vnd.apache.arrow.stream', aliases: [], suffix: 'arrows' },
  parquet: {
    contentType: 'application/vnd.apache.parquet',
    aliases: [],
    suffix: 'parquet',
    isCompressed: true,
  },
};

/** A column of the rows. */
export interface FormatColumn {
  readonly name: string;
  readonly type: Type;
}

/** Encodes rows, each the UTF-8 of a JSON object with a value for each column, in their order. */
export type Encode = (
  rows: readonly Uint8Array[],
  columns: readonly FormatColumn[],
) => Uint8Array<ArrayBuffer>;
