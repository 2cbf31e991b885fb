/** A field of the schema of a table or of an answer. */
export interface TableField {
  readonly name: string;
  readonly type: string;
  readonly mode?: string | undefined;
  readonly fields?: readonly TableField[] | undefined;
  /** Only with the type `RANGE`. */
  readonly rangeElementType?: { readonly type: string } | undefined;
}
