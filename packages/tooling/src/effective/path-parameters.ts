import { dig, entriesOf, listOf } from '../common/json.ts';
import { isMethod } from '../contract/parse.ts';
import { type Draft, isObject } from './draft.ts';

/** Gives each operation the parameters of its path that it does not have itself. One of its own replaces that of the path. */
export function shareParameters(draft: Draft): void {
  const identityOf = (parameter: unknown) => {
    const found = draft.resolve(parameter);
    return `${dig(found, 'in')} ${dig(found, 'name')}`;
  };
  for (const [, item] of draft.isOurs ? [] : entriesOf(draft.document['paths'])) {
    const shared = listOf(dig(item, 'parameters'));
    for (const [method, operation] of entriesOf(item)) {
      if (!isMethod(method) || !isObject(operation) || shared.length === 0) continue;
      const own = Array.isArray(operation['parameters']) ? operation['parameters'] : [];
      const further = shared.filter((one) => !own.some((other) => identityOf(other) === identityOf(one)));
      operation['parameters'] = JSON.parse(JSON.stringify([...further, ...own]));
    }
    if (isObject(item)) delete item['parameters'];
  }
}
