import highlighter from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import go from 'highlight.js/lib/languages/go';
import http from 'highlight.js/lib/languages/http';
import java from 'highlight.js/lib/languages/java';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import typescript from 'highlight.js/lib/languages/typescript';
import yaml from 'highlight.js/lib/languages/yaml';
import type { Token } from 'markdown-it';
import MarkdownIt from 'markdown-it';
import { escapeHtml, tabs } from './markup.ts';

export type Heading = {
  level: number;
  id: string;
  title: string;
  /** The plain text between it and the next heading, with its code blocks. */
  text: string;
};

const languages = { bash, go, http, java, json, python, typescript, yaml };
for (const [name, language] of Object.entries(languages)) highlighter.registerLanguage(name, language);
const aliases: Record<string, string> = { ts: 'typescript', js: 'typescript', sh: 'bash' };
/** The titles of tabs. */
const titles: Record<string, string> = {
  bash: 'curl',
  go: 'Go',
  java: 'Java',
  python: 'Python',
  typescript: 'TypeScript',
};

/**
 * Renders the project's Markdown as HTML without inline styles or scripts. HTML in it is shown as text. Code blocks in several
 * languages that follow each other immediately become tabs.
 */
export function renderMarkdown(markdown: string): { html: string; headings: Heading[] } {
  const parser = new MarkdownIt({ html: false, typographer: false });
  const { rules } = parser.renderer;
  rules['fence'] = (tokens, index) => {
    if (tokens[index - 1]?.type === 'fence') return '';
    const end = tokens.findIndex((token, place) => place > index && token.type !== 'fence');
    const blocks = tokens.slice(index, end === -1 ? undefined : end);
    const panels = blocks.map(({ content, info }) => {
      const language = aliases[info.trim()] ?? info.trim();
      return [titles[language] ?? '', codeBlock(content, language)] as const;
    });
    if (panels.length === 1 || panels.some(([title]) => title === '')) return panels.map(([, html]) => html).join('');
    return tabs('Language', `code-${index}`, panels);
  };
  // A table that is wider than the page scrolls separately.
  rules['table_open'] = () => '<div class="table" role="group" aria-label="Table" tabindex="0"><table>';
  rules['table_close'] = () => '</table></div>';
  rules['link_open'] = (tokens, index) => {
    const address = String(tokens[index]?.attrGet('href') ?? '');
    // Markdown links to the Markdown of other pages, so that programs can follow it; pages link to pages.
    return `<a href="${escapeHtml(address.replace(/^([^:#]+)\.md(?=#|$)/, '$1.html'))}">`;
  };
  rules['heading_close'] = (tokens, index) => {
    const id = tokens[index - 2]?.attrGet('id');
    const anchor = id ? `<a class="anchor" href="#${id}" aria-label="Link to this section">#</a>` : '';
    return `${anchor}</${tokens[index]?.tag}>`;
  };
  const tokens = parser.parse(markdown, {});
  const headings = nameHeadings(tokens);
  return { html: parser.renderer.render(tokens, parser.options, {}), headings };
}

/** The style sheet sets the colours of the classes, so that no style is inline. */
export function codeBlock(code: string, language: string): string {
  const isKnown = highlighter.getLanguage(language) !== undefined;
  const html = isKnown ? highlighter.highlight(code, { language }).value : escapeHtml(code);
  return `<div class="code"><pre tabindex="0"><code>${html}</code></pre></div>`;
}

/** Adds an ID to each heading below the first level, and returns the text of each section. */
function nameHeadings(tokens: readonly Token[]): Heading[] {
  const headings: Heading[] = [];
  for (const [index, token] of tokens.entries()) {
    const inline = tokens[index + 1];
    if (token.type === 'heading_open' && inline !== undefined) {
      const title = plainText(inline);
      const slug = title
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}_]+/gu, '-')
        .replaceAll(/^-|-$/g, '');
      const same = headings.filter((other) => other.id === slug).length;
      const id = same === 0 ? slug : `${slug}-${same + 1}`;
      headings.push({ level: Number(token.tag.slice(1)), id, title, text: '' });
      if (token.tag !== 'h1') token.attrSet('id', id);
      continue;
    }
    const current = headings.at(-1);
    const isText = token.type === 'inline' || token.type === 'fence';
    if (current !== undefined && isText && tokens[index - 1]?.type !== 'heading_open')
      current.text = `${current.text} ${plainText(token)}`.trim();
  }
  return headings;
}

function plainText({ children, content }: Token): string {
  if (children === null || children.length === 0) return content;
  return children.map((child) => (child.type === 'softbreak' ? ' ' : child.content)).join('');
}
