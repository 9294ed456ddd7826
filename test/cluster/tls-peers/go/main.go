// HTTPS servers of Go's standard library: for each argument VERSION:CERTIFICATE:KEY one port, printed in that order.
package main

import (
	"crypto/tls"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"strings"
)

var versions = map[string]uint16{"TLSv1.2": tls.VersionTLS12, "TLSv1.3": tls.VersionTLS13}

func main() {
	log.SetOutput(os.Stderr)
	handler := http.HandlerFunc(func(response http.ResponseWriter, _ *http.Request) { fmt.Fprint(response, "ok") })
	for _, argument := range os.Args[1:] {
		parts := strings.Split(argument, ":")
		pair, err := tls.LoadX509KeyPair(parts[1], parts[2])
		if err != nil {
			log.Fatal(err)
		}
		version := versions[parts[0]]
		config := &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: version, MaxVersion: version}
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(listener.Addr().(*net.TCPAddr).Port)
		go http.Serve(tls.NewListener(listener, config), handler)
	}
	select {}
}
