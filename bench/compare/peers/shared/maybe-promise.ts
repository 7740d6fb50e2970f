export type MaybePromise<Value> = Value | Promise<Value>;

/** Continues with a value, at once if it is there already: waiting for what SQLite returns would slow its peers down. */
export function mapMaybe<Value, Result>(
  value: MaybePromise<Value>,
  next: (value: Value) => MaybePromise<Result>,
): MaybePromise<Result> {
  return value instanceof Promise ? value.then(next) : next(value);
}
