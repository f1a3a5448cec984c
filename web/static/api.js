// Calls to the server: Connect in its binary form. The contract comes from the server as descriptors, so there is no
// generated code here, and a server with a further game needs no other page.
import {
  Code, ConnectError, create, createClient, createConnectTransport, createFileRegistry, FileDescriptorSetSchema,
  fromBinary, fromJson, toBinary, toJson,
} from "./vendor/rpc.js";
import { recall, remember } from "./storage.js";
import { t } from "./words.js";

/** @typedef {import("./types").Position} Position */

/** @type {import("./types").Advisor} */
export let advisor;
/** @type {import("./types").Engine} */
export let engine;
/** @type {import("./types").Matches} */
export let matches;
/** @type {any} */
let registry;

/** Fetches the contract; needed before any call. */
export async function connect() {
  const answer = await fetch(new URL("descriptors.binpb", import.meta.url));
  if (!answer.ok) throw new Error(t("error.contract"));
  registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, new Uint8Array(await answer.arrayBuffer())));
  const transport = createConnectTransport({
    baseUrl: new URL(".", location.origin + location.pathname).href,
    useBinaryFormat: true,
    interceptors: [(next) => (request) => {
      const token = recall("access", "");
      if (token) request.header.set("authorization", `Bearer ${token}`);
      return next(request);
    }],
  });
  /** @param {string} name @returns {any} */
  const client = (name) => createClient(registry.getService(`pythia.v1.${name}`), transport);
  advisor = client("AdvisorService");
  engine = client("EngineService");
  matches = client("MatchService");
}

/** The token for servers that let only known clients in. @param {string} token */
export function setAccess(token) {
  remember("access", token.trim());
}

const POSITION = "pythia.v1.Position";

/** The game of a position. @param {Position} position @returns {string} */
export function gameOf(position) {
  return position.game.case ?? "";
}

/** The message of a position's JSON, as files have it. @param {any} value @returns {Position} */
export function positionFromJson(value) {
  if (value === null || typeof value !== "object" || typeof value.game !== "string") throw new Error(t("error.position"));
  const schema = registry.getMessage(POSITION);
  if (!schema.fields.some((/** @type {any} */ field) => field.name === value.game)) {
    throw new Error(t("error.game", { game: value.game }));
  }
  try {
    return /** @type {Position} */ (fromJson(schema, { [value.game]: value }));
  } catch (error) {
    throw new Error(t("error.field", { problem: String(error instanceof Error ? error.message : error) }));
  }
}

/** @param {Position} position @returns {any} */
export function positionToJson(position) {
  const json = /** @type {any} */ (toJson(registry.getMessage(POSITION), position, { registry, useProtoFieldName: true }));
  return json[gameOf(position)];
}

/** @param {Position} position @returns {Uint8Array} */
export function positionToBytes(position) {
  return toBinary(registry.getMessage(POSITION), position);
}

/** @param {Uint8Array} bytes @returns {Position} */
export function positionFromBytes(bytes) {
  return /** @type {any} */ (fromBinary(registry.getMessage(POSITION), bytes));
}

/** Who sees a position: a seat, or -1 for a spectator. @param {Position} position @returns {number} */
export function observerOf(position) {
  return /** @type {any} */ (position.game.value)?.observer ?? -1;
}

/** A message by its name, for calls whose requests are kept. @param {string} name @param {any} [fields] @returns {any} */
export function message(name, fields) {
  return create(registry.getMessage(`pythia.v1.${name}`), fields);
}

/** @param {unknown} error @param {number} code */
export function isCode(error, code) {
  return error instanceof ConnectError && error.code === code;
}

/** Something that trying again does not help; its message is a sentence. */
export class Final extends Error {}

/** The server cannot be reached, or stops; trying again helps. @param {unknown} error */
export function isLost(error) {
  if (error instanceof Final) return false;
  return !(error instanceof ConnectError) || [Code.Unavailable, Code.Unknown, Code.Internal, Code.Aborted,
    Code.DeadlineExceeded, Code.ResourceExhausted].includes(error.code);
}

/** @param {unknown} error */
export function isCanceled(error) {
  return isCode(error, Code.Canceled) || (error instanceof DOMException && error.name === "AbortError");
}

/** What went wrong in a sentence that says what to do. @param {unknown} error @returns {string} */
export function sentence(error) {
  if (!(error instanceof ConnectError)) {
    return error instanceof TypeError ? t("error.unreachable") : String(error instanceof Error ? error.message : error);
  }
  const said = error.rawMessage;
  switch (error.code) {
    case Code.Unauthenticated: return t("error.access");
    case Code.Unimplemented: return t("error.missing", { said });
    case Code.Unavailable: return t("error.unreachable");
    case Code.Unknown: case Code.Internal: return error.cause instanceof TypeError ? t("error.unreachable") : said;
    default: return said.charAt(0).toUpperCase() + said.slice(1);
  }
}

export { Code, ConnectError };
