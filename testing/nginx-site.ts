import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface NginxSite {
  /** For its files. A certificate is in `lookout.crt`, its key in `lookout.key`. */
  readonly folder: string;
  readonly port: number;
  /** Default: it does not listen without TLS. */
  readonly plainPort?: number;
  /** False: the site has neither TLS nor HTTP/2. */
  readonly tls?: boolean;
  readonly hostname?: string;
  /** Lines of the upstream, such as `server 127.0.0.1:3000;`. */
  readonly servers: readonly string[];
  /** Before everything else, such as the number of workers. */
  readonly main?: string;
}

/**
 * deploy/nginx.conf on ports and in a folder of a test.
 * @returns the file for `nginx -c`
 * @throws Error if the site lacks a line that is replaced
 */
export function writeNginxSite(options: NginxSite): string {
  const { folder, port, plainPort, tls = false, hostname = 'localhost', servers, main = 'events {}' } = options;
  let site = readFileSync(join(import.meta.dirname, '../deploy/nginx.conf'), 'utf8');
  const replace = (pattern: RegExp, by: string) => {
    if (!pattern.test(site)) throw new Error(`deploy/nginx.conf has nothing like ${pattern}`);
    site = site.replace(pattern, by);
  };
  replace(/server 127\.0\.0\.1:3000;/, servers.join(' '));
  replace(/ *listen \[::\]:80;\n/, '');
  replace(/ *listen \[::\]:443 ssl http2;\n/, '');
  replace(/listen 443 ssl http2;/, `listen 127.0.0.1:${port}${tls ? ' ssl http2' : ''};`);
  if (plainPort === undefined) replace(/server \{\s+listen 80;[^}]*\}/, '');
  else replace(/listen 80;/, `listen 127.0.0.1:${plainPort};`);
  if (!tls) replace(/^ *ssl_.*$/gm, '');
  replace(/lookout\.example/g, hostname);
  site = site.replaceAll('/etc/nginx/', `${folder}/`).replaceAll('/var/log/nginx/', `${folder}/`);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (of) => `${of}_temp_path ${folder}/${of};`,
  );
  const file = join(folder, 'nginx.conf');
  writeFileSync(
    file,
    `daemon off; pid ${folder}/pid; ${main}\nhttp {\naccess_log off;\n${temporary.join('\n')}\n${site}}\n`,
  );
  return file;
}
