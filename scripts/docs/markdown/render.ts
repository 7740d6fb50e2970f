import MarkdownIt from 'markdown-it';
import { escapeHtml } from '../shell/markup.ts';
import { type Heading, nameHeadings } from './headings.ts';
import { highlight } from './highlight.ts';

export type RenderedMarkdown = { html: string; headings: Heading[] };

/** Markdown of ours as HTML without styles or scripts of its own. HTML in it is shown as text. */
export function renderMarkdown(markdown: string): RenderedMarkdown {
  const parser = createParser();
  const tokens = parser.parse(markdown, {});
  const headings = nameHeadings(tokens);
  return { html: parser.renderer.render(tokens, parser.options, {}), headings };
}

function createParser() {
  const parser = new MarkdownIt({ html: false, typographer: false });
  const { rules } = parser.renderer;
  rules['fence'] = (tokens, index) => codeBlock(tokens[index]?.content ?? '', tokens[index]?.info.trim() ?? '');
  // Scrolled by its own, so that a wide table does not widen a phone's page.
  rules['table_open'] = () => '<div class="table" role="region" aria-label="Table" tabindex="0"><table>';
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

function codeBlock(code: string, language: string): string {
  const name = language === 'ts' ? 'typescript' : language;
  return `<div class="code"><pre tabindex="0"><code class="language-${escapeHtml(name)}">${highlight(code, name)}</code></pre></div>`;
}

/** Guides link to each other's Markdown, so that the links work wherever the file is read; pages link to pages. */
function pageAddress(address: string): string {
  return address.replace(/^([^:#]+)\.md(?=#|$)/, '$1.html');
}
