import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

/** The look of the editor: the page's colours, which follow the system's dark or light scheme. */
export const editorTheme = [
  EditorView.theme({
    '&': {
      color: 'var(--text)',
      backgroundColor: 'var(--field)',
      fontSize: '13px',
      maxHeight: '320px',
    },
    '&.cm-focused': { outline: 'none' },
    '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.5', minHeight: '84px' },
    '&.stored': { maxHeight: '180px' },
    '.cm-content': { caretColor: 'var(--text)', padding: '8px 0' },
    '.cm-cursor': { borderLeftColor: 'var(--text)' },
    '.cm-gutters': { backgroundColor: 'var(--field)', color: 'var(--faint)', border: 'none' },
    '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'transparent' },
    '&.cm-focused .cm-activeLine': { backgroundColor: 'var(--hover)' },
    '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground':
      {
        backgroundColor: 'var(--selection)',
      },
    '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': {
      backgroundColor: 'var(--selection)',
      outline: 'none',
    },
    '.cm-selectionMatch': { backgroundColor: 'var(--hover)' },
    '.cm-tooltip': {
      color: 'var(--text)',
      backgroundColor: 'var(--panel)',
      border: '1px solid var(--line)',
      borderRadius: '6px',
      boxShadow: '0 4px 16px rgb(0 0 0 / 18%)',
    },
    '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', maxHeight: '16em' },
    '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '2px 8px' },
    '.cm-tooltip-autocomplete ul li[aria-selected]': {
      color: 'var(--on-accent)',
      backgroundColor: 'var(--accent)',
    },
    '.cm-completionDetail': { color: 'inherit', opacity: '0.75', fontStyle: 'normal' },
    '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '600' },
    '.cm-tooltip.cm-completionInfo': {
      padding: '6px 10px',
      maxWidth: '360px',
      fontFamily: 'var(--sans)',
    },
    '.cm-lintRange-error': {
      backgroundImage: 'none',
      textDecoration: 'underline wavy var(--bad)',
      textUnderlineOffset: '3px',
    },
    '.cm-diagnostic-error': { borderLeftColor: 'var(--bad)' },
    '.cm-panels': { color: 'var(--text)', backgroundColor: 'var(--panel)' },
  }),
  syntaxHighlighting(
    HighlightStyle.define([
      { tag: tags.keyword, color: 'var(--code-keyword)' },
      { tag: [tags.string, tags.special(tags.string)], color: 'var(--code-string)' },
      { tag: [tags.number, tags.bool, tags.null], color: 'var(--code-number)' },
      { tag: [tags.comment], color: 'var(--faint)' },
      { tag: [tags.typeName, tags.standard(tags.name)], color: 'var(--code-type)' },
    ]),
  ),
];
