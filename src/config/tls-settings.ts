/** TLS on the ports of the service. */
import { section } from './section.ts';
import { folder } from './setting.ts';

export const TLS = section('start', 'TLS, on all three ports.', {
  certFile: folder(
    { key: 'tls.cert_file', variable: 'ASSAY_TLS_CERT_FILE', example: '/tls/tls.crt' },
    'Certificate of the service in PEM, with the ones between it and its authority. Read again when it changes.',
  ),
  keyFile: folder(
    { key: 'tls.key_file', variable: 'ASSAY_TLS_KEY_FILE', example: '/tls/tls.key' },
    "The certificate's key in PEM.",
  ),
  clientCaFile: folder(
    { key: 'tls.client_ca_file', variable: 'ASSAY_TLS_CLIENT_CA_FILE', example: '/tls/clients.crt' },
    'Authority of the certificates that clients of OTLP must show. Without it they need none.',
  ),
}).build(({ certFile, keyFile, clientCaFile }, sources) => {
  if (certFile !== undefined && keyFile !== undefined) return { certFile, keyFile, clientCaFile };
  if (certFile !== undefined) sources.mistake('tls.cert_file', 'its key is not named', 'tls.key_file as well');
  if (keyFile !== undefined) sources.mistake('tls.key_file', 'its certificate is not named', 'tls.cert_file as well');
  if (clientCaFile !== undefined && certFile === undefined && keyFile === undefined) {
    const expected = 'tls.cert_file and tls.key_file as well';
    sources.mistake('tls.client_ca_file', 'clients show certificates only over TLS', expected);
  }
  return undefined;
});
