import type { ContractDocument } from '../../contract/document.ts';
import { renderMarkdown } from '../markdown/render.ts';
import { escapeHtml, markdownLine } from '../shell/markup.ts';
import { sitePage } from '../shell/site-page.ts';
import type { SiteFile } from '../site-file.ts';

/** Every error code in a table. The ID of a row is its code, so that responses can link to it. */
export function errorsPage({ components, info }: ContractDocument): SiteFile[] {
  const codes = Object.entries(components.schemas.ErrorCode['x-codes']);
  const rows = codes.map(
    ([
      code,
      { status, cause, action },
    ]) => `<tr id="${code}" role="row">${cell('Code', `<a href="#${code}"><code>${escapeHtml(code)}</code></a>`)}${cell('Status', String(status))}
${cell('Cause', inline(cause))}${cell('What to do', inline(action))}</tr>`,
  );
  const page = sitePage({
    path: 'errors.html',
    title: 'Error codes',
    description: `Every error code of the ${info.title} API, with its status, its cause and what to do about it.`,
    section: 'errors',
    head: '<link rel="alternate" type="text/markdown" href="errors.md">\n',
    body: `<main id="content" class="errors prose" tabindex="-1">
${markdownLine('errors.md')}
<h1>Error codes</h1>
<p>Every error response has one of these codes. To handle them in your program, see <a href="guides/errors.html">Errors</a>.</p>
<div class="table"><table role="table"><caption>Error codes, with status, cause and what to do</caption>
<thead role="rowgroup"><tr role="row">${['Code', 'Status', 'Cause', 'What to do'].map((title) => `<th scope="col" role="columnheader">${title}</th>`).join('')}</tr></thead>
<tbody role="rowgroup">${rows.join('\n')}</tbody></table></div>
</main>`,
  });
  const lines = codes.map(([code, { status, cause, action }]) => `| \`${code}\` | ${status} | ${cause} | ${action} |`);
  const head = '# Error codes\n\n| Code | Status | Cause | What to do |\n| --- | --- | --- | --- |';
  return [page, { path: 'errors.md', content: `${head}\n${lines.join('\n')}\n` }];
}

/** As in tables of Markdown: phones show a row as a block. */
function cell(title: string, html: string): string {
  return `<td role="cell" data-label="${title}">${html}</td>`;
}

function inline(markdown: string): string {
  return renderMarkdown(markdown).html.replaceAll(/^<p>|<\/p>\s*$/g, '');
}
