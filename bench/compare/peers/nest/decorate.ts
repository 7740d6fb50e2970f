import 'reflect-metadata';

/**
 * Decorators as what they are: functions. Node takes types away and has no decorators, so a build would be needed to write
 * them with `@`; what runs is the same.
 */
type Class = { prototype: object; name: string };

/** Decorators of the properties of a class. */
export function decorateProperties(target: Class, properties: Record<string, PropertyDecorator[]>): void {
  for (const [name, decorators] of Object.entries(properties)) {
    for (const decorate of decorators) decorate(target.prototype, name);
  }
}

export type Parameter = { type: unknown; decorator: ParameterDecorator };

/** Decorators of a method and of its parameters, whose types Nest reads as the compiler of TypeScript notes them. */
export function decorateMethod(target: Class, name: string, method: MethodDecorator[], parameters: Parameter[]): void {
  const descriptor = Object.getOwnPropertyDescriptor(target.prototype, name);
  if (descriptor === undefined) throw new Error(`${target.name} has no ${name}.`);
  const types = parameters.map(({ type }) => type);
  Reflect.defineMetadata('design:paramtypes', types, target.prototype, name);
  for (const [index, { decorator }] of parameters.entries()) decorator(target.prototype, name, index);
  for (const decorate of method) decorate(target.prototype, name, descriptor);
}
