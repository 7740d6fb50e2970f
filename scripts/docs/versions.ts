import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { releasedVersions } from '../diff/releases.ts';
import { root } from '../root.ts';
import type { ReadableContract } from './reader-document.ts';

/** What tells the pages of several versions apart. */
export type DocsVersion = {
  /** The section about versions in the page's introduction, as Markdown; empty for none. */
  note: string;
  /** Where the server has the contract that the page is made from. */
  contractAddress: string;
  /** Redocly's settings, as YAML. */
  configuration: string;
};

/** The page of the contract as it is: it leads to those of the releases. */
export function currentVersion(versions = releasedVersions()): DocsVersion {
  const links = versions.map((version) => `[${version}](/docs/${version})`);
  const note =
    links.length === 0 ? '' : `This page is of the contract as it is now. As it was released: ${links.join(', ')}.`;
  return { note, contractAddress: '/openapi.yaml', configuration: settings() };
}

/** The page of a released contract: it leads back, and offers the contract of the release. */
export function releasedVersion(version: string): DocsVersion {
  const contractAddress = `/docs/${version}/openapi.yaml`;
  return {
    note: `This page is of the release ${version}. [The contract as it is now](/docs).`,
    contractAddress,
    configuration: settings({ downloadUrls: [{ title: 'openapi.yaml', url: contractAddress }] }),
  };
}

/** The contract with a section about its versions at the end of its introduction. */
export function withVersions(contract: ReadableContract, { note }: DocsVersion): ReadableContract {
  if (note === '') return contract;
  const description = `${contract.info.description.trimEnd()}\n\n## Versions\n\n${note}\n`;
  return { ...contract, info: { ...contract.info, description } };
}

/** The settings of .redocly.yaml that a page needs: without lint, whose files it names by their place. */
function settings(changes: object = {}): string {
  const { telemetry, openapi } = parse(readFileSync(join(root, '.redocly.yaml'), 'utf8'));
  return stringify({ telemetry, openapi: { ...openapi, ...changes } });
}
