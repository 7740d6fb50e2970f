import type { ContractDocument } from '../../contract/document.ts';
import { curlSample } from './curl.ts';
import { goSample } from './go.ts';
import { javaSample } from './java.ts';
import { pythonSample } from './python.ts';
import { sampleRequests } from './request.ts';
import { isJsonRequest, type JsonRequest, type SampleRequest } from './sample-request.ts';
import { typescriptSample } from './typescript.ts';

/** The languages of the samples, in the order in which pages show them. */
export const languages = {
  curl: { label: 'curl', write: curlSample },
  typescript: { label: 'TypeScript', write: typescriptSample },
  python: { label: 'Python', write: pythonSample },
  go: { label: 'Go', write: goSample },
  java: { label: 'Java', write: javaSample },
} as const satisfies Record<string, { label: string; write: (request: JsonRequest) => string }>;

export type SampleLanguage = keyof typeof languages;

/** In the order in which pages show them. */
export const sampleLanguages: readonly SampleLanguage[] = Object.keys(languages).filter(isLanguage);

/** A sample, with its language and what pages call it. */
export type CodeSample = { lang: SampleLanguage; label: string; source: string };

/** The samples of every operation of a contract, by operationId. */
export function samplesOf(document: ContractDocument): Map<string, CodeSample[]> {
  return new Map(sampleRequests(document).map((request) => [request.id, samplesFor(request)]));
}

function samplesFor(request: SampleRequest): CodeSample[] {
  if (!isJsonRequest(request)) return [{ lang: 'curl', label: languages.curl.label, source: curlSample(request) }];
  return sampleLanguages.map((lang) => ({
    lang,
    label: languages[lang].label,
    source: languages[lang].write(request),
  }));
}

function isLanguage(name: string): name is SampleLanguage {
  return name in languages;
}
