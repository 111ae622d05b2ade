/**
 * The certificate of this side, and the authority of clients that must show one, for all ports. The files are read again
 * every few seconds, because whoever renews a certificate replaces the files and tells nobody. New ones are used for new
 * connections; those that are open stay. Files that cannot be used change nothing: a certificate and its key are rarely
 * replaced in the same instant.
 *
 *   start     files that cannot be used    the start fails
 *   running   files changed and usable     certificate-renewed, in use for new connections
 *             files changed, not usable    certificate-unusable once, the previous ones stay; tried again at each change
 */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext, type SecureContextOptions, type TlsOptions } from 'node:tls';
import type { LISTENERS } from '../model/events/receive-events.ts';
import type { TlsEvent } from '../model/events/tls-events.ts';

interface CertificateFiles {
  /** The certificate, and the ones between it and its authority. */
  readonly certFile: string;
  readonly keyFile: string;
  /** Authority of the clients of OTLP; undefined lets in clients without a certificate. */
  readonly clientCaFile: string | undefined;
}

/** The options of a port that speaks TLS, and the certificates that come later. */
export interface PortSecurity {
  readonly options: TlsOptions;
  follow(server: SecureServer): void;
}

interface SecureServer {
  setSecureContext(options: SecureContextOptions): void;
  on(event: 'tlsClientError', listener: (error: NodeJS.ErrnoException) => void): unknown;
}

interface Contents {
  readonly cert: string;
  readonly key: string;
  readonly clientCa: string | undefined;
}

const CHECK_MS = 5_000;
/** Longest time for which a client that sends nothing holds its connection. */
const HANDSHAKE_MS_MAX = 10_000;

export class Certificates {
  readonly #files: CertificateFiles;
  readonly #onEvent: (event: TlsEvent) => void;
  readonly #followers: { readonly server: SecureServer; readonly clients: 'any' | 'known' }[] = [];
  readonly #timer: NodeJS.Timeout;
  #contents: Contents;
  /** Files as they were read last, whether they could be used or not. */
  #seen: string;

  constructor(files: CertificateFiles, onEvent: (event: TlsEvent) => void) {
    this.#files = files;
    this.#onEvent = onEvent;
    this.#contents = read(files);
    check(this.#contents);
    this.#seen = fingerprint(this.#contents);
    this.#timer = setInterval(() => this.refresh(), CHECK_MS).unref();
  }

  /** Seconds since 1970 at which the certificate in use ends. */
  get expiresAt(): number {
    return Math.floor(Date.parse(new X509Certificate(this.#contents.cert).validTo) / 1000);
  }

  /** `known`: clients must show a certificate, where an authority for them is set. */
  port(port: (typeof LISTENERS)[number], clients: 'any' | 'known'): PortSecurity {
    return {
      options: { ...this.#optionsFor(clients), handshakeTimeout: HANDSHAKE_MS_MAX },
      follow: (server) => {
        this.#followers.push({ server, clients });
        server.on('tlsClientError', (error) =>
          this.#onEvent({ type: 'tls-handshake-failed', port, problem: error.code ?? error.message }),
        );
      },
    };
  }

  /** Reads the files again. */
  refresh(): void {
    let contents: Contents;
    try {
      contents = read(this.#files);
      const now = fingerprint(contents);
      if (now === this.#seen) return;
      this.#seen = now;
      check(contents);
    } catch (error) {
      this.#onEvent({
        type: 'tls-certificate-unusable',
        problem: error instanceof Error ? error.message : String(error),
      });
      return;
    }
    this.#contents = contents;
    for (const { server, clients } of this.#followers) server.setSecureContext(this.#optionsFor(clients));
    this.#onEvent({ type: 'tls-certificate-renewed', expiresAt: this.expiresAt });
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #optionsFor(clients: 'any' | 'known'): TlsOptions {
    const { cert, key, clientCa } = this.#contents;
    const own = { cert, key, minVersion: 'TLSv1.2' } as const;
    return clients === 'any' || clientCa === undefined
      ? own
      : { ...own, ca: clientCa, requestCert: true, rejectUnauthorized: true };
  }
}

function read({ certFile, keyFile, clientCaFile }: CertificateFiles): Contents {
  return {
    cert: contentOf('tls.cert_file', certFile),
    key: contentOf('tls.key_file', keyFile),
    clientCa: clientCaFile === undefined ? undefined : contentOf('tls.client_ca_file', clientCaFile),
  };
}

function contentOf(setting: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(`read ${setting}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

/** Throws where they are no certificates, or the key belongs to another one. */
function check({ cert, key, clientCa }: Contents): void {
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw new Error(`use tls.cert_file with tls.key_file: ${problem}; both are PEM, and the key is the certificate's`, {
      cause: error,
    });
  }
  if (clientCa === undefined) return;
  try {
    void new X509Certificate(clientCa);
  } catch (error) {
    throw new Error('use tls.client_ca_file: it holds no certificate in PEM', { cause: error });
  }
}

function fingerprint({ cert, key, clientCa }: Contents): string {
  return [cert, key, clientCa].join('\0');
}
