package main

import (
	"io"
	"net"
)

// forward gives processes in other network namespaces access to this one: a Unix socket with a path belongs to the
// file system, and the connections opened here belong to the namespace of this process.
func forward(socket, address string) error {
	listener, err := net.Listen("unix", socket)
	if err != nil {
		return err
	}
	for {
		accepted, err := listener.Accept()
		if err != nil {
			return err
		}
		go func() {
			defer accepted.Close()
			dialed, err := net.Dial("tcp", address)
			if err != nil {
				return
			}
			defer dialed.Close()
			go func() {
				io.Copy(dialed, accepted)
				dialed.(*net.TCPConn).CloseWrite()
			}()
			io.Copy(accepted, dialed)
		}()
	}
}
