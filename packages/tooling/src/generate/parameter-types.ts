import { kindOf } from '../contract/document.ts';
import { multipart } from '../contract/forms.ts';
import { interfaceIn, type Member, membersAt, membersOf, withSchemaNames } from './types.ts';

/** The parameters of an operation by place, and its body. */
export type ParameterTypes = {
  path: Map<string, Member>;
  query: Map<string, Member>;
  header: Map<string, Member>;
  /** Undefined if there is none. */
  body: Member | undefined;
};

/** Parameters that the options of a call set, or that only `store.GET` supports. */
export const leftOut: readonly string[] = ['Idempotency-Key', 'If-None-Match'];

/** The headers that named methods take as parameters. */
export function namedHeaders(header: ParameterTypes['header']): Member[] {
  return [...header].filter(([name]) => !leftOut.includes(name)).map(([, member]) => member);
}

/** Reads the types of parameters and bodies from the types of openapi-typescript, without those of components that only editors see. */
export function parameterTypes(types: string): (id: string, names: ReadonlyMap<string, string>) => ParameterTypes {
  const operations = membersOf(interfaceIn(types, 'operations'));
  const components = membersOf(interfaceIn(types, 'components'));
  const membersIn = (group: string) => membersOf(components.get(group)?.type ?? '');
  const shared: Record<string, Map<string, Member>> = {
    parameters: membersIn('parameters'),
    requestBodies: membersIn('requestBodies'),
  };

  /** The type without references to shared parameters and bodies. */
  function inlined(type: string): string {
    return type.replaceAll(/components\["(parameters|requestBodies)"\]\[("(?:[^"\\]|\\.)*")\]/g, (_, group, name) =>
      inlined(shared[group]?.get(JSON.parse(name))?.type ?? 'unknown'),
    );
  }

  const named = (type: string) => withSchemaNames(inlined(type), 'contract.');

  return (id, names) => {
    const operation = operations.get(id)?.type ?? '';
    const inPlace = (place: string) =>
      new Map(
        [...membersAt(operation, 'parameters', place)].map(([name, member]) => {
          const argument = names.get(`${place} ${name}`) ?? name;
          const key = argument === name ? member.key : JSON.stringify(argument);
          return [name, { ...member, key, type: named(member.type) }];
        }),
      );
    const body = membersOf(operation).get('requestBody');
    const content = body && membersAt(inlined(body.type), 'content');
    const bodyTypes = [...(content ?? [])].map(([mediaType, { type }]) => bodyType(mediaType, named(type)));
    return {
      path: inPlace('path'),
      query: inPlace('query'),
      header: inPlace('header'),
      body:
        body && bodyTypes.length > 0 ? { ...body, key: 'body', type: [...new Set(bodyTypes)].join(' | ') } : undefined,
    };
  };
}

/** The type of a body: JSON as its values, a form as its fields or as the platform's own form, and anything else as it is sent. */
function bodyType(mediaType: string, type: string): string {
  if (kindOf(mediaType) === 'json') return type;
  if (kindOf(mediaType) === 'form') return `${type} | ${mediaType === multipart ? 'FormData' : 'URLSearchParams'}`;
  return `RawBody<'${mediaType}'>`;
}

/** An object type with these members; the optional ones may be undefined. */
export function objectType(members: Iterable<Member>): string {
  const lines = [...members].map(({ comment, key, isOptional, type }) =>
    `${comment}${key}${isOptional ? '?' : ''}: ${type}${isOptional ? ' | undefined' : ''};`.replaceAll(/^/gm, '  '),
  );
  return lines.length === 0 ? 'Record<string, never>' : `{\n${lines.join('\n')}\n}`;
}
