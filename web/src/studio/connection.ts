// The websocket to the studio's server: requests with their replies, events, and a new try when it breaks.

import { text } from "../texts/texts";
import type { Reply, Request, StudioEvent } from "./messages";

type Plain<Kind extends Reply["type"]> = Extract<Reply, { type: Kind }>;

/** The server refused a request; the message is for the user. */
export class RefusedRequest extends Error {}

/** Nobody answers a request: the socket is not open, or breaks. */
export class LostConnection extends Error {
  constructor() {
    super(text("studio.lost"));
  }
}

interface Waiting {
  resolve: (reply: Reply) => void;
  reject: (reason: Error) => void;
}

export class Connection {
  onEvent: (event: StudioEvent) => void = () => undefined;
  /** The socket is open (again); pages continue their session. */
  onOpen: () => void = () => undefined;
  onClose: () => void = () => undefined;
  private socket: WebSocket | null = null;
  private next = 1;
  private delay = 250;
  private retry: ReturnType<typeof setTimeout> | undefined;
  private readonly waiting = new Map<number, Waiting>();

  constructor(private readonly address: string) {}

  /** Connect, unless a socket is there already. */
  open(): void {
    clearTimeout(this.retry);
    if (this.socket && this.socket.readyState !== WebSocket.CLOSED) return;
    const socket = (this.socket = new WebSocket(this.address));
    socket.addEventListener("open", () => {
      this.delay = 250;
      this.onOpen();
    });
    socket.addEventListener("message", (event) => this.received(JSON.parse(String(event.data)) as Reply | StudioEvent));
    socket.addEventListener("close", () => {
      for (const { reject } of this.waiting.values()) reject(new LostConnection());
      this.waiting.clear();
      this.onClose();
      this.retry = setTimeout(() => this.open(), this.delay);
      this.delay = Math.min(2 * this.delay, 5000);
    });
  }

  /** The reply to a request; rejects with the server's message where it refuses. */
  ask<Kind extends Reply["type"]>(request: Request, ..._kinds: Kind[]): Promise<Plain<Kind>> {
    const id = this.next++;
    return new Promise((resolve, reject) => {
      if (this.socket?.readyState !== WebSocket.OPEN) {
        reject(new LostConnection());
        return;
      }
      this.waiting.set(id, { resolve: (reply) => resolve(reply as Plain<Kind>), reject });
      this.socket.send(JSON.stringify({ id, ...request }));
    });
  }

  private received(message: (Reply & { id?: number }) | StudioEvent): void {
    const id = "id" in message ? message.id : undefined;
    if (id === undefined) {
      this.onEvent(message as StudioEvent);
      return;
    }
    const waiting = this.waiting.get(id);
    this.waiting.delete(id);
    const reply = message as Reply;
    if (reply.type === "refused") waiting?.reject(new RefusedRequest(reply.message));
    else waiting?.resolve(reply);
  }
}
