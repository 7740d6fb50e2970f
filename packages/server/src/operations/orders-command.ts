import { parseArgs } from 'node:util';
import type { Order } from '@animal-store/contract';
import {
  ConfigError,
  defaultDatabaseUrl,
  nameOf,
  operatorMessage,
  readDatabase,
} from '@contract-first/service/commands';
import { ApiError } from './operation.ts';
import { endOrder } from './orders.ts';
import { openStorage, type Storage, storeDefinition } from './storage/index.ts';

const RUN = 'npm run --silent orders --';

const help = `Lists and cancels the placed orders of an API key, for example of a key that was lost or revoked. The animals become
available again at once; without this command, they do when the orders expire. The servers may be running.

Usage:
  ${RUN} list KEY_ID              prints a line for each placed order: its ID, the ID of its animal and when it expires
  ${RUN} cancel KEY_ID ORDER_ID   cancels one order
  ${RUN} cancel KEY_ID --all      cancels all placed orders of the key

KEY_ID is the ID that npm run --silent keys -- list prints. It is not the key itself.
Set DATABASE_URL to the database of the server. Default: ${defaultDatabaseUrl(storeDefinition.name)}.
Exit status: 0 success, 1 database unavailable or no such order, 2 invalid arguments or settings.
`;

/** The arguments are not valid. */
class UsageError extends Error {}

/** The orders that one page reads. */
const PAGE = 100;

/** Ends orders whose key is lost or revoked: `npm run --silent orders -- --help`. */
export async function runOrders(args: string[]): Promise<void> {
  try {
    await run(args);
  } catch (error) {
    process.stderr.write(`${operatorMessage(error).replaceAll(/\s+/g, ' ')}\n`);
    process.exitCode = error instanceof UsageError || error instanceof ConfigError ? 2 : 1;
  }
}

async function run(args: string[]): Promise<void> {
  const { command, keyId, orderId } = readArguments(args);
  if (command === 'help') return void process.stdout.write(help);
  const { databaseUrl } = readDatabase(process.env, storeDefinition.name);
  const storage = await openStorage(databaseUrl, 'existing');
  process.stderr.write(`Database: ${nameOf(databaseUrl)}\n`);
  try {
    if ((await storage.keys.find(keyId)) === undefined) {
      throw new Error(`There is no key with the ID ${keyId}. To list the keys, run: npm run --silent keys -- list`);
    }
    if (command === 'list') return await list(storage, keyId);
    await cancel(storage, keyId, orderId);
  } finally {
    await storage.close();
  }
}

async function list(storage: Storage, keyId: string): Promise<void> {
  const orders = await placedOrders(storage, keyId);
  if (orders.length === 0) process.stderr.write(`${keyId} has no placed orders.\n`);
  for (const { id, petId, expiresAt } of orders) process.stdout.write(`${id}\t${petId}\t${expiresAt}\n`);
}

/** Cancels each order in a transaction of its own, so that callers never wait long. */
async function cancel(storage: Storage, keyId: string, only: number | undefined): Promise<void> {
  const ids = only === undefined ? (await placedOrders(storage, keyId)).map(({ id }) => id) : [only];
  for (const id of ids) {
    const result = await storage.transaction((transaction) =>
      endOrder(transaction, { id: keyId }, id, { order: 'cancelled', pet: 'available' }),
    );
    if (!(result instanceof ApiError)) {
      process.stdout.write(`Order ${id} was cancelled. Animal ${result.body.petId} is available again.\n`);
    } else if (only !== undefined) {
      throw new Error(`${keyId} has no placed order with the ID ${id}. To list them, run: ${RUN} list ${keyId}`);
    }
  }
  if (ids.length === 0) process.stderr.write(`${keyId} has no placed orders.\n`);
}

async function placedOrders({ reader }: Storage, keyId: string): Promise<Order[]> {
  const orders: Order[] = [];
  for (let page: Order[] | undefined; page === undefined || page.length === PAGE; ) {
    page = await reader.listOrders({ keyId, status: 'placed', limit: PAGE, after: orders.at(-1)?.id });
    orders.push(...page);
  }
  return orders;
}

type Arguments = { command: 'help' | 'list' | 'cancel'; keyId: string; orderId?: number };

function readArguments(args: string[]): Arguments {
  const { values, positionals } = parse(args);
  const [command = '', keyId = '', order, ...rest] = positionals;
  if (values.help === true || command === 'help') return { command: 'help', keyId };
  if (command === 'list' && keyId !== '' && order === undefined && values.all !== true) return { command, keyId };
  const isOne = order !== undefined && /^[1-9]\d{0,15}$/.test(order);
  if (command === 'cancel' && keyId !== '' && rest.length === 0 && isOne !== (values.all === true)) {
    if (isOne) return { command, keyId, orderId: Number(order) };
    if (order === undefined) return { command, keyId };
  }
  throw new UsageError(`Pass list KEY_ID, cancel KEY_ID ORDER_ID or cancel KEY_ID --all. See: ${RUN} --help`);
}

function parse(args: string[]) {
  try {
    const options = { all: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } as const;
    return parseArgs({ args, options, allowPositionals: true });
  } catch (cause) {
    throw new UsageError(`These arguments are not valid. See: ${RUN} --help`, { cause });
  }
}
