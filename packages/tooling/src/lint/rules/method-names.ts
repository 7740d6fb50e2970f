import { dig } from '../../common/json.ts';
import { memberNames, methodNameOf, pathOf, takenNames } from '../../contract/method-names.ts';
import type { Rule } from '../redocly.ts';
import { eachServedOperation } from '../served.ts';

/** The client has a method for each operation, `client.notes.list`, and a function, `listNotes`. */
export const methodNames: Rule = () => {
  const paths = new Map<string, string>();
  return eachServedOperation(({ node, location }, report) => {
    const operationId = String(dig(node, 'operationId'));
    const name = methodNameOf(node);
    const path = pathOf(name);
    const other = paths.get(path);
    if (other !== undefined) {
      const message = `${other} and ${operationId} both become the method ${path} of the client. Give one of them another x-method-name.`;
      report({ message, location });
    }
    paths.set(path, operationId);
    if (memberNames.includes(name.group)) {
      const message = `The tag becomes the group ${name.group} of the client, which has a member of that name. Use another tag.`;
      report({ message, location: location.child(['tags', 0]) });
    }
    if (takenNames.includes(name.functionName)) {
      const message = `The operationId becomes a function of the client, but ${operationId} is reserved. Use another operationId.`;
      report({ message, location: location.child(['operationId']) });
    }
  });
};
