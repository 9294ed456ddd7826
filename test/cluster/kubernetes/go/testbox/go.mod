module kolla-pod.test/testbox

go 1.24
