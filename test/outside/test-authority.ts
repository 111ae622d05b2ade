/** A private certificate authority, and certificates for a server and a client, for the duration of a test. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

export interface Certificates {
  readonly ca: string;
  /** PEM with key and certificates, as a broker reads them. */
  readonly brokerKeystoreFile: string;
  readonly serverKeyFile: string;
  readonly serverCertFile: string;
  readonly caFile: string;
  readonly client: { readonly key: string; readonly cert: string };
}

export function makeCertificates(directory: string): Certificates {
  const at = (name: string) => path.join(directory, name);
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: directory, stdio: 'pipe' });

  openssl(
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-keyout',
    'ca.key',
    '-out',
    'ca.pem',
    '-days',
    '2',
    '-subj',
    '/CN=assay-test-ca',
  );
  const sign = (name: string, subject: string, names: string) => {
    openssl('req', '-newkey', 'rsa:2048', '-nodes', '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', subject);
    writeFileSync(at(`${name}.ext`), `subjectAltName=${names}\n`);
    openssl(
      'x509',
      '-req',
      '-in',
      `${name}.csr`,
      '-CA',
      'ca.pem',
      '-CAkey',
      'ca.key',
      '-CAcreateserial',
      '-out',
      `${name}.pem`,
      '-days',
      '2',
      '-extfile',
      `${name}.ext`,
    );
  };
  sign('broker', '/CN=localhost', 'DNS:localhost,DNS:kafka.test,IP:127.0.0.1');
  sign('client', '/CN=client', 'DNS:client');

  writeFileSync(
    at('broker-keystore.pem'),
    readFileSync(at('broker.key'), 'utf8') + readFileSync(at('broker.pem'), 'utf8'),
  );
  return {
    ca: readFileSync(at('ca.pem'), 'utf8'),
    serverKeyFile: at('broker.key'),
    serverCertFile: at('broker.pem'),
    caFile: at('ca.pem'),
    brokerKeystoreFile: at('broker-keystore.pem'),
    client: { key: readFileSync(at('client.key'), 'utf8'), cert: readFileSync(at('client.pem'), 'utf8') },
  };
}
