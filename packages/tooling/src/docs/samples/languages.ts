import { csharpSample } from './csharp.ts';
import { curlSample } from './curl.ts';
import { goSample } from './go.ts';
import { javaSample } from './java.ts';
import { javascriptSample } from './javascript.ts';
import { phpSample } from './php.ts';
import { pythonSample } from './python.ts';
import { rubySample } from './ruby.ts';
import type { SampleRequest } from './sample-request.ts';
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
