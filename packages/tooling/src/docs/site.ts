import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readIfThere, withTemporaryFolder } from '../common/files.ts';
import { redoclyConfig, runRedocly } from '../common/redocly.ts';
import { type ContractDocument, operationsOf } from '../contract/document.ts';
import { isErrorStatus, isServerForm } from '../contract/error-form.ts';
import { contractDocument } from '../contract/generated.ts';
import { absoluteServers } from '../generate/constants.ts';
import { completeContract, root } from '../project.ts';
import { clientReference, type Guide, guideFiles, guidesFolder, readGuides } from './guides.ts';
import { homePage } from './home.ts';
import { assets, markdownPage } from './layout.ts';
import { fieldsInside } from './operations/fields.ts';
import { operationFiles } from './operations/operation-files.ts';
import { placedOperations } from './operations/placed.ts';
import { shownServerOf } from './samples/request.ts';
import { searchEntries } from './search/entries.ts';
import { clientGuidePath, see } from './site-settings.ts';
import { errorTable } from './words.ts';
import type { SiteFile } from './write-site.ts';

/**
 * Every file of the docs, made from the contract, docs/guides/ and CHANGELOG.md.
 * @param client the docs offer it for download
 * @throws Error that names each problem that would mislead a reader, such as a guide with a fact that the contract does not have
 */
export function buildSite(document = contractDocument(), folder = guidesFolder, client?: SiteFile): SiteFile[] {
  const contract = withShownServer(document);
  const reference = clientGuidePath === '' ? [] : [clientReference(contract)];
  const guides = [...readGuides(contract, folder, client?.path), ...reference];
  return [
    ...assets(),
    homePage(contract, guides, client?.path),
    ...guideFiles(guides),
    ...operationFiles(contract),
    ...errorFiles(contract),
    ...changelogFiles(),
    { path: 'reference.html', content: redocPage() },
    { path: 'llms.txt', content: llmsText(contract, guides) },
    { path: 'assets/search.json', content: JSON.stringify(searchEntries(contract, guides)) },
    ...(client === undefined ? [] : [client]),
  ];
}

/** The examples of the contract come from production. In the docs, they come from the server that sends the page. */
function withShownServer(contract: ContractDocument): ContractDocument {
  const servers = absoluteServers(contract);
  const [from, to] = [servers[0]?.url, shownServerOf({ servers })].map((url) => new URL(url ?? '').origin);
  return { ...JSON.parse(JSON.stringify({ ...contract, servers: [] }).replaceAll(String(from), String(to))), servers };
}

/** Every error code in a table. The ID of a row is its code, so that responses can link to it. */
export function errorFiles(contract: ContractDocument): SiteFile[] {
  const all = operationsOf(contract).flatMap(({ responses }) => responses);
  const meaning = all.some((response) => isErrorStatus(response.status) && !isServerForm(response))
    ? 'The server itself sends these errors. The page of each operation describes the others.'
    : 'Every error response has one of these codes.';
  const guide = see('errors', ' To handle them in your program, see [Errors](guides/errors.md).');
  const body = `
## Body

An error has this body, unless the page of the operation describes another one:

${fieldsInside(contract, contract.components.schemas['Error'])}`;
  const markdown = `# Error codes

${meaning}${guide}

${errorTable(contract)}
${guide === '' ? body : ''}`;
  const files = markdownPage({
    path: 'errors.html',
    title: 'Error codes',
    description: `Error codes of the ${contract.info.title} API, with their causes and what to do about them.`,
    section: 'Errors',
    markdown,
  });
  const rowOfCode = /<tr>\n<td>(<code>(\w+)<\/code>)/g;
  return files.map(({ path, content }) => ({
    path,
    content: String(content).replaceAll(rowOfCode, '<tr id="$2">\n<td><a href="#$2">$1</a>'),
  }));
}

function changelogFiles(): SiteFile[] {
  const [, ...releases] = (readIfThere(join(root, 'CHANGELOG.md')) ?? '').split(/^(?=## )/m);
  return markdownPage({
    path: 'changelog.html',
    title: 'Changelog',
    description: 'The changes in each release of the API.',
    section: 'Changelog',
    levels: [2],
    markdown: `# Changelog

The changes in each release${see(
      'versions',
      ` that affect your program. Changes that can break it come first.
[Versions and deprecation](guides/versions.md) describes what may change`,
    )}.

${releases.length === 0 ? 'No release is listed here yet.\n' : releases.join('')}`,
  });
}

/** The whole reference on one page, as `redocly build-docs` makes it with the settings of `redoclyConfig`. */
function redocPage(): string {
  return withTemporaryFolder((folder) => {
    const output = join(folder, 'reference.html');
    const options = ['--config', redoclyConfig(), '--inlineBundle', '-o', output];
    const { exitCode, stdout, stderr } = runRedocly('build-docs', completeContract, ...options);
    if (exitCode !== 0) throw new Error(`Redocly could not build the reference:\n${stdout}${stderr}`);
    return readFileSync(output, 'utf8');
  });
}

/** The list of pages for language models (https://llmstxt.org): name, summary, and links with descriptions. */
function llmsText(contract: ContractDocument, guides: readonly Guide[]): string {
  const { info } = contract;
  const operations = placedOperations(contract).map(
    ({ summary, key, operationId }) => `- [${summary}](operations/${operationId}.md): \`${key}\``,
  );
  return `# ${info.title}

> ${info.summary}

The contract describes every operation, field, header, status and error code. All links are relative to this file.

## Contract

- [openapi.yaml](../openapi.yaml): OpenAPI 3.1, version ${info.version}
- [openapi.json](../openapi.json): the same document as JSON
- [operations/index.md](operations/index.md): every operation, each with a page
- [errors.md](errors.md): error codes with their causes and what to do about them

## Operations

${operations.join('\n')}

## Guides

${guides.map(({ name, title, description }) => `- [${title}](guides/${name}.md): ${description}`).join('\n')}

## Optional

- [Changelog](changelog.md): the changes in each release
`;
}
