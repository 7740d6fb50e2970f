/** What is there at once, or later. For what each request passes: a promise that need not be there costs more than the work. */
export type MaybePromise<T> = T | Promise<T>;

/** Goes on with a value: at once when it is there. Rejects, or throws, as `use` does. */
export function mapMaybe<T, U>(value: MaybePromise<T>, use: (value: T) => MaybePromise<U>): MaybePromise<U> {
  return value instanceof Promise ? value.then(use) : use(value);
}
