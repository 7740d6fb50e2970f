import type { ContractDocument, OperationObject } from '../../contract/document.ts';
import { mapOperations } from '../facts/contract.ts';
import { csharpSample } from './csharp.ts';
import { curlSample } from './curl.ts';
import { goSample } from './go.ts';
import { javaSample } from './java.ts';
import { javascriptSample } from './javascript.ts';
import { phpSample } from './php.ts';
import { pythonSample } from './python.ts';
import { type SampleRequest, sampleRequests } from './request.ts';
import { rubySample } from './ruby.ts';
import { typescriptSample } from './typescript.ts';

/** The languages of the samples, in the order in which pages show them. .redocly.yaml has the same list. */
export const languages = {
  curl: { label: 'curl', write: curlSample },
  typescript: { label: 'TypeScript', write: typescriptSample },
  javascript: { label: 'JavaScript', write: javascriptSample },
  python: { label: 'Python', write: pythonSample },
  go: { label: 'Go', write: goSample },
  java: { label: 'Java', write: javaSample },
  php: { label: 'PHP', write: phpSample },
  csharp: { label: 'C#', write: csharpSample },
  ruby: { label: 'Ruby', write: rubySample },
} as const satisfies Record<string, { label: string; write: (request: SampleRequest) => string }>;

export type SampleLanguage = keyof typeof languages;

/** In the order in which pages show them. */
export const sampleLanguages: readonly SampleLanguage[] = Object.keys(languages).filter(isLanguage);

/** An entry of `x-codeSamples` as Redocly reads it. */
export type CodeSample = { lang: SampleLanguage; label: string; source: string };

/** The samples of every operation of a contract, by operationId. */
export function samplesOf(document: ContractDocument): Map<string, CodeSample[]> {
  return new Map(sampleRequests(document).map((request) => [request.id, samplesFor(request)]));
}

/** The sample of a request in every language. */
export function samplesFor(request: SampleRequest): CodeSample[] {
  return sampleLanguages.map((lang) => ({
    lang,
    label: languages[lang].label,
    source: languages[lang].write(request),
  }));
}

function isLanguage(name: string): name is SampleLanguage {
  return name in languages;
}

/** The contract with the samples of each operation in the form that Redocly reads. */
export function withSamples<Contract extends ContractDocument>(contract: Contract): Contract {
  const samples = samplesOf(contract);
  const withOwn = (operation: OperationObject) => ({
    ...operation,
    'x-codeSamples': samples.get(operation.operationId),
  });
  return { ...contract, paths: mapOperations(contract.paths, withOwn) };
}
