import type { ContractDocument } from '../../contract/document.ts';
import { clientGuidePath } from '../site-settings.ts';
import { curlSample } from './curl.ts';
import { goSample } from './go.ts';
import { javaSample } from './java.ts';
import { pythonSample } from './python.ts';
import { sampleRequests } from './request.ts';
import { isJsonRequest, type JsonRequest, type SampleRequest } from './sample-request.ts';
import { typescriptSample } from './typescript.ts';

export const sampleLanguages = ['curl', 'typescript', 'python', 'go', 'java'] as const;

export type SampleLanguage = (typeof sampleLanguages)[number];

const languages: Record<SampleLanguage, { label: string; write: (request: JsonRequest) => string }> = {
  curl: { label: 'curl', write: curlSample },
  typescript: { label: 'TypeScript', write: typescriptSample },
  python: { label: 'Python', write: pythonSample },
  go: { label: 'Go', write: goSample },
  java: { label: 'Java', write: javaSample },
};

export type CodeSample = { lang: SampleLanguage; label: string; source: string };

/** The samples of every operation of a contract, by operationId. */
export function samplesOf(document: ContractDocument): Map<string, CodeSample[]> {
  return new Map(sampleRequests(document).map((request) => [request.id, samplesFor(request)]));
}

function samplesFor(request: SampleRequest): CodeSample[] {
  if (!isJsonRequest(request)) return [{ lang: 'curl', label: languages.curl.label, source: curlSample(request) }];
  // The sample in TypeScript needs the client.
  const shown = sampleLanguages.filter((lang) => lang !== 'typescript' || clientGuidePath !== '');
  return shown.map((lang) => {
    const { label, write } = languages[lang];
    const comment = lang === 'curl' || lang === 'python' ? '#' : '//';
    const remark = request.notFound === undefined ? '' : `${comment} 404: ${request.notFound}\n`;
    return { lang, label, source: `${remark}${write(request)}` };
  });
}
