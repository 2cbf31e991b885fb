import htm from 'htm';
import { h, type VNode } from 'preact';

/**
 * Builds an element from a template. Strings always become text nodes, so log contents are never parsed as HTML. A
 * template with several roots returns a list, which may stand in place of an element.
 */
export const html = htm.bind(h) as (strings: TemplateStringsArray, ...values: unknown[]) => VNode;
