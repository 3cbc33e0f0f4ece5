// What a page may ask of its host: the report answers from embedded data, the studio from its server.

import type { PageDocument } from "../document/model_document";

/** A request that a host may not be able to serve, with its answer. A host declares what it can do. */
export interface Host {
  /** Where the page lives; decides which parts are shown. */
  readonly kind: PageDocument["host"];
  /** The document shown first. */
  document(): Promise<PageDocument>;
  /** Follow later documents (the studio after an edit); returns a function that ends this. */
  watch(listener: (document: PageDocument) => void): () => void;
  /**
   * Ask for what only an engine can do (exact algebra, native simulation, files): a name and plain data.
   * Rejects with `NotAvailable` where the host has no engine behind it.
   */
  ask<Answer>(request: string, data: unknown, signal?: AbortSignal): Promise<Answer>;
  /** Whether `ask` knows the request. */
  can(request: string): boolean;
}

/** The host has nothing that answers this request. */
export class NotAvailable extends Error {
  constructor(request: string, host: string) {
    super(`The ${host} cannot answer '${request}': it has no engine behind it. Open the robot in the studio.`);
    this.name = "NotAvailable";
  }
}
