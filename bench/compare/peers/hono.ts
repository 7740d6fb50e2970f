/** Hono on its adapter for Node, with Zod schemas in its own validator middleware. */
import { type HttpBindings, serve } from '@hono/node-server';
import { zValidator } from '@hono/zod-validator';
import { type Context, Hono, type ValidationTargets } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { z } from 'zod';
import { openPeer } from './shared/peer.ts';
import {
  internalError,
  invalidJson,
  invalidRequest,
  petNotFound,
  type Refusal,
  routeNotFound,
  unknownCursor,
} from './shared/refusals.ts';
import { plainDigits, rules } from './shared/rules.ts';
import { announce, keepAliveTimeout, listenOptions } from './shared/serve.ts';

const peer = openPeer();
const status = z.enum(rules.statuses).optional();
const text = ({ minLength, maxLength, pattern }: typeof rules.name) =>
  z.string().min(minLength).max(maxLength).regex(pattern);
const digits = (range: { minimum: number; maximum: number }) =>
  z.string().regex(plainDigits).transform(Number).pipe(z.int().min(range.minimum).max(range.maximum));

const listQuery = z.strictObject({
  limit: digits(rules.limit).default(rules.limit.default),
  status,
  cursor: text(rules.cursor).optional(),
});
const petPath = z.strictObject({ petId: digits(rules.petId) });
const newPet = z.strictObject({ name: text(rules.name), categoryId: z.int(), status });

type Environment = { Bindings: HttpBindings };

const app = new Hono<Environment>();

app.use(async (context, next) => {
  const { incoming } = context.env;
  const { headers, socket } = incoming;
  const admission = peer.admit({ path: context.req.path, headers, address: socket.remoteAddress ?? '' });
  for (const [name, value] of Object.entries(admission.headers)) setHeader(context, name, value);
  if (admission.refusal !== undefined) return refuse(context, admission.refusal);
  return next();
});

app.get('/v1/pets', validated('query', listQuery), (context) => {
  const page = peer.list(context.req.valid('query'), context.env.incoming.headers);
  if (page === undefined) return refuse(context, unknownCursor);
  if (page.link !== undefined) context.header('Link', page.link);
  return context.json(page.pets);
});

app.get('/v1/pets/:petId', validated('param', petPath), (context) => {
  const { petId } = context.req.valid('param');
  const pet = peer.find(petId);
  return pet === undefined ? refuse(context, petNotFound(petId)) : context.json(pet);
});

app.post('/v1/pets', validated('json', newPet), (context) => {
  const { status, ...rest } = context.req.valid('json');
  const added = peer.add(status === undefined ? rest : { ...rest, status });
  context.header('Location', peer.locationOf(added, context.env.incoming.headers));
  return context.json(added, 201);
});

app.notFound((context) => refuse(context, routeNotFound));
app.onError((error, context) => {
  if (error instanceof HTTPException) return refuse(context, invalidJson(error.message));
  console.error(error);
  return refuse(context, internalError());
});

/** Zod's own middleware, with its problems in the words of the contract. */
function validated<Target extends keyof ValidationTargets, Shape extends z.ZodType>(target: Target, schema: Shape) {
  return zValidator(target, schema, (result, context) => {
    if (result.success) return undefined;
    const place = target === 'param' ? 'path' : target === 'json' ? 'body' : target;
    const details = result.error.issues.map((issue) => {
      const [name = issue.code === 'unrecognized_keys' ? issue.keys[0] : ''] = issue.path;
      return { where: `${place}/${String(name)}`, what: issue.message };
    });
    return refuse(context, invalidRequest(details));
  });
}

function refuse(context: Context, { status, headers, body }: Refusal): Response {
  for (const [name, value] of Object.entries(headers)) context.header(name, value);
  return context.json(body, status);
}

function setHeader(context: Context, name: string, value: string | string[]): void {
  if (typeof value === 'string') context.header(name, value);
  else for (const each of value) context.header(name, each, { append: true });
}

const server = serve(
  { fetch: app.fetch, ...listenOptions, hostname: listenOptions.host, serverOptions: { keepAliveTimeout } },
  () => announce(server, peer),
);
