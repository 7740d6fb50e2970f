import { escapeHtml } from './markup.ts';

/** Panels of which the browser shows one at a time, with tabs. Pages remember the choice by `memory`. */
export function tabs(label: string, memory: string, panels: readonly string[]): string {
  return `<div class="tabs" data-label="${label}" data-memory="${memory}">${panels.join('\n')}</div>\n`;
}

/** A panel of `tabs`. */
export function panel(title: string, html: string): string {
  return `<section><h3>${escapeHtml(title)}</h3>${html}</section>`;
}
