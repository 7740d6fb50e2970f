import MarkdownIt from 'markdown-it';
import { keyPlaceholder } from '../samples/request.ts';
import { escapeHtml } from '../shell/markup.ts';
import { type Heading, nameHeadings } from './headings.ts';
import { highlight } from './highlight.ts';

export type RenderedMarkdown = { html: string; headings: Heading[] };

/**
 * Renders the project's Markdown as HTML without inline styles or scripts. HTML in it is shown as text.
 *
 * @param server the base URL in code blocks that the browser replaces with that of the server that served the page
 */
export function renderMarkdown(markdown: string, server?: string): RenderedMarkdown {
  const parser = createParser(server);
  const tokens = parser.parse(markdown, {});
  const headings = nameHeadings(tokens);
  return { html: parser.renderer.render(tokens, parser.options, {}), headings };
}

function createParser(server: string | undefined) {
  const parser = new MarkdownIt({ html: false, typographer: false });
  const { rules } = parser.renderer;
  rules['fence'] = (tokens, index) => codeBlock(tokens[index]?.content ?? '', tokens[index]?.info.trim() ?? '', server);
  // A table scrolls separately, so that a wide one does not widen the page on a phone.
  rules['table_open'] = () => '<div class="table" role="group" aria-label="Table" tabindex="0"><table>';
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

const aliases: Record<string, string> = { ts: 'typescript', javascript: 'typescript', js: 'typescript', sh: 'bash' };

const names: Record<string, string> = {
  bash: 'Shell',
  diff: 'Diff',
  http: 'HTTP',
  java: 'Java',
  javascript: 'JavaScript',
  json: 'JSON',
  php: 'PHP',
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
