export type ListenSettings =
  | { readonly ok: true; readonly host: string; readonly port: number; readonly address: string }
  | { readonly ok: false; readonly problems: readonly string[] };

/** Without settings, 127.0.0.1:3000. */
export function listenSettings(environment: NodeJS.ProcessEnv): ListenSettings {
  const host = environment.HOST?.trim() || '127.0.0.1';
  const portText = environment.PORT?.trim() || '3000';
  const port = Number(portText);
  if (!/^\d+$/.test(portText) || port > 65_535) {
    return { ok: false, problems: [`PORT is ${JSON.stringify(portText)}: write a port number from 0 to 65535`] };
  }
  return { ok: true, host, port, address: `http://${host.includes(':') ? `[${host}]` : host}:${port}` };
}
