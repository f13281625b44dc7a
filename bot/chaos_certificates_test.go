package bot_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"os"
	"time"
)

// chaosCertificates are those of the chaos suite's server and of one that is not it.
var chaosCertificates struct{ right, wrong *tls.Certificate }

// makeChaosCertificates makes the certificates and has this process trust their authority, in the way that any program can be
// told to: by a file that SSL_CERT_FILE names. It must run before the first handshake.
func makeChaosCertificates() (remove func(), err error) {
	authority, err := newChaosCertificate("authority.test", nil)
	if err != nil {
		return nil, err
	}
	if chaosCertificates.right, err = newChaosCertificate(chaosHost, authority); err != nil {
		return nil, err
	}
	if chaosCertificates.wrong, err = newChaosCertificate("portal.test", authority); err != nil {
		return nil, err
	}
	f, err := os.CreateTemp("", "authority-*.pem")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := pem.Encode(f, &pem.Block{Type: "CERTIFICATE", Bytes: authority.Certificate[0]}); err != nil {
		return nil, err
	}
	return func() { os.Remove(f.Name()) }, os.Setenv("SSL_CERT_FILE", f.Name())
}

// newChaosCertificate makes a certificate for a host, signed by an authority; with none it becomes one. It is valid in the
// bubbles' time, which begins with the year 2000, and in ours.
func newChaosCertificate(host string, authority *tls.Certificate) (*tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: host},
		NotBefore: time.Date(1999, 1, 1, 0, 0, 0, 0, time.UTC), NotAfter: time.Date(2099, 1, 1, 0, 0, 0, 0, time.UTC),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}, DNSNames: []string{host},
	}
	parent, signer := template, key
	if authority == nil {
		template.IsCA, template.BasicConstraintsValid, template.KeyUsage = true, true, x509.KeyUsageCertSign
	} else {
		var ok bool
		if signer, ok = authority.PrivateKey.(*ecdsa.PrivateKey); !ok {
			return nil, fmt.Errorf("the authority's key is a %T", authority.PrivateKey)
		}
		if parent, err = x509.ParseCertificate(authority.Certificate[0]); err != nil {
			return nil, err
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	if err != nil {
		return nil, err
	}
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, nil
}
