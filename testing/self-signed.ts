import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface SelfSigned {
  readonly certificateFile: string;
  readonly keyFile: string;
  /** It is its own authority. */
  readonly pem: string;
}

/** @param name such as `DNS:mail.test` or `IP:127.0.0.1` */
export function selfSigned(folder: string, name: string): SelfSigned {
  const [certificateFile, keyFile] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')];
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1'];
  const subject = ['-subj', '/CN=lookout test', '-addext', `subjectAltName=${name}`];
  const files = ['-keyout', keyFile, '-out', certificateFile];
  execFileSync('openssl', ['req', '-x509', ...key, ...subject, ...files], { stdio: 'ignore' });
  return { certificateFile, keyFile, pem: readFileSync(certificateFile, 'utf8') };
}
