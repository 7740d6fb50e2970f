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
import { languages as sampleLanguages } from '../samples/languages.ts';
import { keyPlaceholder } from '../samples/request.ts';
import { escapeHtml } from '../shell/markup.ts';
import { panel, tabs } from '../shell/tabs.ts';

export type RenderedMarkdown = { html: string; headings: Heading[] };

/**
 * Renders the project's Markdown as HTML without inline styles or scripts. HTML in it is shown as text.
 *
 * @param server the base URL in code blocks that the browser replaces with that of the server that served the page
 * @param hasTabs whether code blocks that follow each other immediately become tabs of one group, one for each language
 */
export function renderMarkdown(markdown: string, server?: string, hasTabs = false): RenderedMarkdown {
  const parser = createParser(server, hasTabs);
  const tokens = parser.parse(markdown, {});
  const headings = nameHeadings(tokens);
  labelCells(tokens);
  return { html: parser.renderer.render(tokens, parser.options, {}), headings };
}

function createParser(server: string | undefined, hasTabs: boolean) {
  const parser = new MarkdownIt({ html: false, typographer: false });
  const { rules } = parser.renderer;
  rules['fence'] = (tokens, index) => {
    const { content = '', info = '' } = tokens[index] ?? {};
    if (!hasTabs) return codeBlock(content, info.trim(), server);
    if (tokens[index - 1]?.type === 'fence') return '';
    const end = tokens.findIndex((token, place) => place > index && token.type !== 'fence');
    const blocks = tokens.slice(index, end === -1 ? undefined : end);
    return codeGroup(blocks, server);
  };
  // A table that is wider than the page scrolls separately.
  rules['table_open'] = () => '<div class="table" role="group" aria-label="Table" tabindex="0"><table role="table">';
  rules['table_close'] = () => '</table></div>';
  rules['link_open'] = (tokens, index) => {
    const address = String(tokens[index]?.attrGet('href') ?? '');
    return `<a href="${escapeHtml(pageAddress(address))}">`;
  };
  rules['heading_open'] = (tokens, index) => {
    const token = tokens[index];
    const id = token?.attrGet('id');
    return id ? `<${token?.tag} id="${id}">` : `<${token?.tag}>`;
  };
  rules['heading_close'] = (tokens, index) => {
    const id = tokens[index]?.meta?.['id'];
    const anchor = id ? `<a class="anchor" href="#${id}" aria-label="Link to this section">#</a>` : '';
    return `${anchor}</${tokens[index]?.tag}>`;
  };
  return parser;
}

function codeBlock(code: string, language: string, server: string | undefined): string {
  const name = aliases[language] ?? language;
  const html = withFills(highlight(code, name), server);
  return `<div class="code" data-language="${escapeHtml(names[language] ?? names[name] ?? language)}"><pre tabindex="0"><code class="language-${escapeHtml(name)}">${html}</code></pre></div>`;
}

/** Code blocks in several languages as tabs, in the order of the languages. */
function codeGroup(blocks: readonly Token[], server: string | undefined): string {
  const written = blocks.map(({ content, info }) => {
    const language = info.trim();
    const name = language === 'bash' ? 'curl' : (aliases[language] ?? language);
    return { name, html: codeBlock(content, language, server) };
  });
  const all = Object.entries(sampleLanguages).flatMap(([name, { label }]) => {
    const own = written.find((block) => block.name === name);
    return own === undefined ? [] : [panel(label, own.html)];
  });
  if (all.length > 1) return tabs('Language', 'language', all);
  return written.map(({ html }) => html).join('');
}

const aliases: Record<string, string> = { ts: 'typescript', javascript: 'typescript', js: 'typescript', sh: 'bash' };

const names: Record<string, string> = {
  bash: 'Shell',
  go: 'Go',
  http: 'HTTP',
  java: 'Java',
  javascript: 'JavaScript',
  json: 'JSON',
  python: 'Python',
  typescript: 'TypeScript',
  yaml: 'YAML',
  text: 'Text',
};

/** Marks the values that the browser fills in: the server that served the page, and the reader's key. */
function withFills(html: string, server: string | undefined): string {
  const keys = html.replaceAll(keyPlaceholder, '<span data-fill="key">$&</span>');
  return server === undefined ? keys : keys.replaceAll(server, '<span data-fill="base-url">$&</span>');
}

/** Guides link to the Markdown of other guides, so that the links work everywhere; pages link to pages. */
function pageAddress(address: string): string {
  return address.replace(/^([^:#]+)\.md(?=#|$)/, '$1.html');
}

export type Heading = {
  level: number;
  id: string;
  title: string;
  /** The plain text between it and the next heading. */
  text: string;
  /** The code blocks in that text. */
  code: string;
};

/** Adds an ID to each heading below the first level, and returns the text of each section. Modifies the tokens. */
function nameHeadings(tokens: readonly Token[]): Heading[] {
  const headings: Heading[] = [];
  const taken = new Set<string>();
  for (const [index, token] of tokens.entries()) {
    const inline = tokens[index + 1];
    if (token.type === 'heading_open' && inline !== undefined) {
      const title = plainText(inline);
      const id = freeName(slug(title), taken);
      headings.push({ level: Number(token.tag.slice(1)), id, title, text: '', code: '' });
      if (token.tag === 'h1') continue;
      token.attrSet('id', id);
      const close = tokens[index + 2];
      if (close !== undefined) close.meta = { id };
    } else if (isText(token) && tokens[index - 1]?.type !== 'heading_open') {
      const current = headings.at(-1);
      const part = token.type === 'fence' ? 'code' : 'text';
      if (current !== undefined) current[part] = `${current[part]} ${plainText(token)}`.trim();
    }
  }
  return headings;
}

const roles: Record<string, string> = {
  thead: 'rowgroup',
  tbody: 'rowgroup',
  tr: 'row',
  th: 'columnheader',
  td: 'cell',
};

/**
 * Gives each cell the title of its column, because phones show a row as a block. Some browsers forget the roles of elements that are shown as
 * blocks, so each element has its role. Modifies the tokens.
 */
function labelCells(tokens: readonly Token[]): void {
  let titles: string[] = [];
  let column = 0;
  for (const [index, token] of tokens.entries()) {
    if (token.nesting !== 1) continue;
    const role = roles[token.tag];
    if (role !== undefined) token.attrSet('role', role);
    const inline = tokens[index + 1];
    if (token.type === 'thead_open') titles = [];
    if (token.type === 'tr_open') column = 0;
    if (token.type === 'th_open' && inline !== undefined) titles.push(plainText(inline));
    if (token.type !== 'td_open') continue;
    const title = titles[column] ?? '';
    if (title !== '') token.attrSet('data-label', title);
    column += 1;
  }
}

function isText(token: Token): boolean {
  return token.type === 'inline' || token.type === 'fence';
}

function plainText(token: Token): string {
  if (token.children === null || token.children.length === 0) return token.content;
  return token.children.map((child) => (child.type === 'softbreak' ? ' ' : child.content)).join('');
}

/** `Bans` as `bans`, `rate_limited` unchanged, `What to do on a 429` as `what-to-do-on-a-429`. */
function slug(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_]+/gu, '-')
    .replaceAll(/^-|-$/g, '');
}

function freeName(wanted: string, taken: Set<string>): string {
  let name = wanted;
  for (let count = 2; taken.has(name); count += 1) name = `${wanted}-${count}`;
  taken.add(name);
  return name;
}

const languages = { bash, go, http, java, json, python, typescript, yaml };
for (const [name, language] of Object.entries(languages)) highlighter.registerLanguage(name, language);

/** Code as HTML, with a class for each kind of token. The style sheet sets the colours, so that no style is inline. */
function highlight(code: string, language: string): string {
  if (highlighter.getLanguage(language) === undefined) return escapeHtml(code);
  return highlighter.highlight(code, { language }).value;
}
