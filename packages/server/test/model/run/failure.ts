import { operations } from '@animal-store/contract';
import { curlLine } from '../../fuzz/requests/curl.ts';
import { urlOf } from '../../harness.ts';
import type { Action, ModelRequest } from '../actions/action.ts';
import { callOf } from '../actions/request.ts';
import type { Played, Step } from './play.ts';

/** The smallest sequence after which the server and the model differ. */
export type ModelFailure = {
  seed: number;
  /** Its number among the sequences of that seed, from 1. */
  run: number;
  actions: Action[];
  /** The shell command for each action. */
  lines: string[];
  problems: string[];
  answer: string;
};

export function failureOf(
  { steps, problems }: Pick<Played, 'steps' | 'problems'>,
  seed: number,
  run: number,
): ModelFailure {
  const response = steps.at(-1)?.response;
  return {
    seed,
    run,
    actions: steps.map(({ action }) => action),
    lines: steps.map(lineOf),
    problems,
    answer:
      response === undefined ? 'a response that the contract does not document' : `${response.status} ${response.text}`,
  };
}

function lineOf({ action, request }: Step): string {
  if (request !== undefined) return modelCurl(request);
  if (action.do === 'restart') return '# restart the server';
  const isChange = ['wait', 'until', 'key'].includes(action.do);
  return isChange ? `# ${Object.values(action).join(' ')}` : '# nothing to send yet';
}

/** A curl line for a server that `npm start` has started, with the keys in KEY_0 and KEY_1. */
function modelCurl(request: ModelRequest): string {
  const { method } = operations[request.id];
  const call = callOf(request);
  const headers = Object.entries(call.headers ?? {});
  const body = call.body === undefined ? undefined : JSON.stringify(call.body);
  const target = urlOf('', request.id, call);
  return curlLine(
    {
      method,
      target,
      headers: headers.map(([name, value]) => [name === 'content-type' ? 'Content-Type' : name, value]),
      body,
    },
    { key: `$${request.isOlder === true ? 'OLDER' : 'KEY'}_${request.by}` },
  );
}

/** A readable description of a failure, with the command that repeats it. */
export function modelFailureText({ seed, run, actions, lines, problems, answer }: ModelFailure): string {
  return [
    `The server and the model differ, seed ${seed}, sequence ${run}, shrunk to ${actions.length} actions.`,
    'On an empty store, with two keys:',
    '  KEY_0=$(npm run --silent keys -- create --plan business)',
    '  KEY_1=$(npm run --silent keys -- create --plan business --expires-in 72h)',
    ...actions.flatMap((action, index) => [`${index + 1}. ${JSON.stringify(action)}`, `  ${lines[index]}`]),
    `response: ${answer.slice(0, 500)}`,
    ...problems.map((problem) => `  ${problem}`),
    `repeat with: npm run model -- --seed ${seed} --only ${run}`,
  ].join('\n');
}
