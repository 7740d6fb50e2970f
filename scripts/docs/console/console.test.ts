import { contractJson } from '@animal-store/contract/document';
import { expect, test } from '@jest/globals';
import { type ConsoleContract, forConsole, ownServer } from '../browser/console/contract.ts';
import type { DocumentedContract } from '../facts/contract.ts';
import { consoleFiles } from './console-files.ts';
import { consoleLink } from './console-link.ts';
import { withConsoleLinks } from './with-console-links.ts';

const contract: DocumentedContract & ConsoleContract = JSON.parse(contractJson);

test('a link opens the console at an operation, from any page; one that is not in the contract is refused', () => {
  expect(consoleLink(contract, 'listPets', 'reference.html')).toBe('console.html#/Pets/listPets');
  expect(consoleLink(contract, 'createOrder', 'guides/limits.html')).toBe('../console.html#/Orders/createOrder');
  expect(() => consoleLink(contract, 'listCats', 'index.html')).toThrow('no operation listCats');
});

test('each operation of the reference leads to the console', () => {
  const { paths } = withConsoleLinks(contract, 'reference.html');
  const operations = Object.values(paths).flatMap((item) =>
    Object.values(item).filter((part) => 'operationId' in part),
  );
  expect(operations.length).toBeGreaterThan(7);
  for (const { description, operationId } of operations)
    expect(description).toMatch(new RegExp(`\\(console\\.html#/\\w+/${operationId}\\)`));
});

test('the policy is the strict one of all pages; only a copy on another host may call the servers of the contract', () => {
  const [page] = consoleFiles(contract);
  expect(page?.contentSecurityPolicy).toContain("connect-src 'self'; ");
  expect(page?.contentSecurityPolicy).not.toMatch(/unsafe|https?:|\*/);
  const meta = /Content-Security-Policy" content="([^"]*)"/.exec(String(page?.content))?.[1];
  expect(meta).toContain('https://api.animal-store.example');
  expect(meta).not.toMatch(/unsafe|\*/);
});

test('no source map is asked for, and the licence goes along', () => {
  const files = consoleFiles(contract);
  for (const { content } of files) expect(String(content).includes('sourceMappingURL=')).toBe(false);
  expect(files.map(({ path }) => path)).toContain('assets/swagger-ui.LICENSE.txt');
});

test('in the console optional parameters are empty, and what is beta or deprecated says so', () => {
  const { paths, components } = forConsole(contract, undefined);
  const status = paths['/pets']?.['get']?.parameters?.find(
    (parameter) => 'name' in parameter && parameter.name === 'status',
  );
  expect(status).toMatchObject({ schema: { enum: ['available', 'pending', 'sold'] } });
  expect(JSON.stringify(status)).not.toContain('"example');
  expect(JSON.stringify(components?.parameters?.['Cursor'])).not.toContain('"example');
  expect(paths['/pets/{petId}']?.['get']?.summary).toBe('Get an animal (deprecated)');
  expect(paths['/store/orders']?.['post']?.summary).toBe('Order an animal (beta)');
});

test('the server of the page is the only one where there is one, otherwise those of the contract stay', () => {
  expect(forConsole(contract, 'https://a.example/v1').servers?.map(({ url }) => url)).toEqual(['https://a.example/v1']);
  expect(forConsole(contract, undefined).servers).toEqual(contract.servers);
  const address = 'https://a.example/docs/openapi.json';
  expect(ownServer('</v1>; rel="service"', address)).toBe('https://a.example/v1');
  expect(ownServer('</style.css>; rel=preload', address)).toBeUndefined();
  expect(ownServer(null, address)).toBeUndefined();
});
