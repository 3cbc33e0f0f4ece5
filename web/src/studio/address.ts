// Addresses of the studio's server. The token of the page's address is sent with every request.

const token = (): string => new URLSearchParams(location.search).get("token") ?? "";

/** The address of a file of the server. */
export const fileAddress = (path: string): string => `${path}?token=${encodeURIComponent(token())}`;

export const socketAddress = (): string => `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}${fileAddress("/ws")}`;

/** Send a file into the workspace; returns its path there. */
export async function upload(file: File): Promise<string> {
  const address = `${fileAddress("/upload")}&name=${encodeURIComponent(file.name)}`;
  const answer = await fetch(address, { method: "POST", body: file });
  const reply = (await answer.json()) as { path?: string; message?: string };
  if (!answer.ok || reply.path === undefined) throw new Error(reply.message ?? answer.statusText);
  return reply.path;
}
