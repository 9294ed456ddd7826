package main

import (
	"io"
	"net"
)

// forward lets a process in another network namespace in: a Unix socket with a path belongs to the file system, and
// the connections made here belong to the namespace that this process runs in.
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
